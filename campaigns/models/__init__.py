from campaigns.models.batch import LARGEST_BATCH, PARTITIONS, BatchState, CampaignBatch
from campaigns.models.campaign import Activity, Campaign, CampaignState, Refusal
from campaigns.models.code import CodePool, PromoCode
from campaigns.models.content import CampaignContent

__all__ = [
    "LARGEST_BATCH",
    "PARTITIONS",
    "Activity",
    "BatchState",
    "Campaign",
    "CampaignBatch",
    "CampaignContent",
    "CampaignState",
    "CodePool",
    "PromoCode",
    "Refusal",
]
