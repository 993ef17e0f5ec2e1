# One image for web, worker and beat; docker-compose.yml says which command each runs.
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_ROOT_USER_ACTION=ignore

RUN useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin marktlotse

WORKDIR /app
COPY requirements.txt requirements-sqs.txt ./
ARG REQUIREMENTS=requirements.txt
RUN pip install --requirement "$REQUIREMENTS"
COPY . .

# Both steps load the settings, so every required variable needs a value; none is kept.
RUN export ENVIRONMENT=production SECRET_KEY=only-for-this-step SITE_URL=https://marktlotse.example \
        ALLOWED_HOSTS=marktlotse.example DATABASE_URL=postgres://127.0.0.1/unused \
        REDIS_URL=redis://127.0.0.1/0 EMAIL_PROVIDER=smtp EMAIL_HOST=127.0.0.1 \
        DEFAULT_FROM_EMAIL=post@marktlotse.example \
    && python manage.py translations --compile \
    && python manage.py collectstatic --noinput

# The code belongs to root: the account that runs it can change nothing of it.
USER marktlotse
EXPOSE 8000

# Asks by a name that the site answers to; behind HTTPS, /healthz is not redirected.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=4 \
    CMD ["python", "-c", "import os, urllib.request as r; host = os.environ['ALLOWED_HOSTS'].split(',')[0].strip().lstrip('.'); r.urlopen(r.Request('http://127.0.0.1:8000/healthz', headers={'Host': host}), timeout=4)"]

CMD ["gunicorn", "--config=config/gunicorn.py", "config.wsgi:application"]
