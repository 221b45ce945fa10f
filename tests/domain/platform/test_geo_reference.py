"""Countries, regions and cities by the ids of address databases."""

from zoneinfo import ZoneInfo

from trackyard.domain.platform import geo


def test_city_has_zone_region_and_names() -> None:
    cities = {city.id: city for city in geo.cities()["GB"]}
    london = cities[2643743]
    assert (london.name, london.zone, london.region_id) == ("London", "Europe/London", 6269131)
    assert [london.name_in(language) for language in ("en", "ru", "es")] == ["London", "Лондон", "Londres"]


def test_city_without_translation_keeps_its_name() -> None:
    tartu = next(city for city in geo.cities()["EE"] if city.name == "Tartu")
    assert (tartu.name_in("ru"), tartu.name_in("es")) == ("Тарту", "Tartu")


def test_city_country_zone_and_region_exist() -> None:
    countries = {country.code for country in geo.countries()}
    regions = {region.id for items in geo.regions().values() for region in items}
    zones: set[str] = set()
    for country, cities in geo.cities().items():
        assert country in countries
        for city in cities:
            assert city.region_id in regions or city.region_id == 0
            zones.add(city.zone)
    assert all(ZoneInfo(zone) for zone in zones)


def test_region_ids_equal_address_databases() -> None:
    found = {region.id: region.name for region in geo.regions()["US"]}
    assert found[5332921] == "California" and found[5815135] == "Washington"


def test_country_names_are_current_in_each_language() -> None:
    english = {country.code: country.name for country in geo.countries()}
    assert english["EE"] == "Estonia" and "AN" not in english and len(english) > 240
    assert {country.code: country.name for country in geo.countries("ru")}["EE"] == "Эстония"
    assert {country.code: country.name for country in geo.countries("es")}["DE"] == "Alemania"
