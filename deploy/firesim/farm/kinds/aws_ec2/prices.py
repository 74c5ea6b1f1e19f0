# SPDX-License-Identifier: BSD-3-Clause
"""What an EC2 instance costs an hour: AWS is asked, since a table of ours would be wrong soon."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from firesim.farm.base import FarmError

if TYPE_CHECKING:
    from mypy_boto3_ec2 import EC2Client
    from mypy_boto3_ec2.literals import InstanceTypeType

PRODUCT = "Linux/UNIX"


class Prices:
    """Prices of one region; each is asked for once."""

    def __init__(self, region: str, ec2: EC2Client, pricing: Any) -> None:
        """Take clients of EC2 and of the Price List API, which has few regions of its own."""
        self.region, self.ec2, self.pricing = region, ec2, pricing
        self._known: dict[tuple[str, tuple[str, ...] | None], float] = {}

    def on_demand(self, instance_type: str) -> float:
        """Return the price in USD an hour.

        Raises:
            FarmError: there is none, so EC2 has no such type there.
        """
        key = (instance_type, None)
        if key not in self._known:
            self._known[key] = self._on_demand(instance_type)
        return self._known[key]

    def spot(self, instance_type: str, zones: Sequence[str]) -> float:
        """Return the price in USD an hour now in the dearest of some zones.

        Raises:
            FarmError: there is none, so EC2 has no such type there.
        """
        key = (instance_type, tuple(zones))
        if key not in self._known:
            self._known[key] = self._spot(instance_type, zones)
        return self._known[key]

    def _on_demand(self, instance_type: str) -> float:
        wanted = {
            "instanceType": instance_type,
            "regionCode": self.region,
            "operatingSystem": "Linux",
            "preInstalledSw": "NA",
            "tenancy": "Shared",
            "capacitystatus": "Used",
            "marketoption": "OnDemand",
        }
        filters = [{"Type": "TERM_MATCH", "Field": k, "Value": v} for k, v in wanted.items()]
        found = self.pricing.get_products(ServiceCode="AmazonEC2", Filters=filters)
        for text in found["PriceList"]:
            product = json.loads(text) if isinstance(text, str) else text
            for term in product["terms"].get("OnDemand", {}).values():
                for dimension in term["priceDimensions"].values():
                    if (price := float(dimension["pricePerUnit"].get("USD", 0))) > 0:
                        return price
        raise self._none(instance_type)

    def _spot(self, instance_type: str, zones: Sequence[str]) -> float:
        kind: InstanceTypeType = instance_type  # type: ignore[assignment]
        found = self.ec2.describe_spot_price_history(
            InstanceTypes=[kind],
            ProductDescriptions=[PRODUCT],
            StartTime=datetime.now(UTC),
            Filters=[{"Name": "availability-zone", "Values": list(zones)}],
        )
        latest: dict[str, tuple[datetime, float]] = {}
        for one in found["SpotPriceHistory"]:
            zone, at = one["AvailabilityZone"], one["Timestamp"]
            if zone in zones and (zone not in latest or at > latest[zone][0]):
                latest[zone] = (at, float(one["SpotPrice"]))
        if not latest:
            raise self._none(instance_type)
        return max(price for _, price in latest.values())

    def _none(self, instance_type: str) -> FarmError:
        return FarmError(
            f'instance_type: found "{instance_type}", expected a type that EC2 offers in '
            f"{self.region}: AWS knows no price of it there."
        )
