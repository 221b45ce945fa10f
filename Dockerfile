# The image of Trackyard. docs/install.md#as-a-container says how to build it, what weighs, and what of it was run.
# The base is pinned by its tag; who builds for production adds the digest that the registry shows for it.
FROM python:3.13.7-bookworm AS build
ARG SOURCE_DATE_EPOCH=0
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PYTHONDONTWRITEBYTECODE=1 \
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH}
WORKDIR /build
RUN python -m venv --without-pip /opt/trackyard
COPY requirements.txt ./
RUN pip --python /opt/trackyard install --no-deps --require-hashes --requirement requirements.txt
COPY pyproject.toml setup.py README.md LICENSE NOTICE ./
COPY trackyard trackyard
RUN pip --python /opt/trackyard install --no-deps --no-build-isolation .
COPY deploy/image deploy/image
RUN python deploy/image/slim.py /opt/trackyard/lib/python3.13/site-packages \
    && install -m 0644 deploy/image/healthcheck.py /opt/trackyard/healthcheck.py \
    && /opt/trackyard/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/trackyard/lib/python3.13/site-packages/trackyard

FROM python:3.13.7-slim-bookworm
LABEL org.opencontainers.image.title="Trackyard" org.opencontainers.image.licenses="MIT"
RUN groupadd --gid 10001 trackyard \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/trackyard --shell /usr/sbin/nologin trackyard \
    && install -d -o 10001 -g 10001 -m 0700 /var/lib/trackyard /var/lib/trackyard/files
COPY --from=build /opt/trackyard /opt/trackyard
ENV PATH=/opt/trackyard/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    TRACKYARD_DATA_DIR=/var/lib/trackyard \
    TRACKYARD_API_LISTEN=0.0.0.0:8000 \
    TRACKYARD_TRACKING_LISTEN=0.0.0.0:8001 \
    TRACKYARD_MONITORING_LISTEN=0.0.0.0:8002
USER 10001:10001
WORKDIR /var/lib/trackyard
VOLUME /var/lib/trackyard
EXPOSE 8000 8001 8002
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 CMD ["python", "-I", "/opt/trackyard/healthcheck.py"]
ENTRYPOINT ["trackyard"]
CMD ["serve"]
