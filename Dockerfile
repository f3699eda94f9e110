# The image of web, worker and migrate. docs/deploy.md says how it is used.

FROM python:3.11-slim AS packages
ENV PATH=/venv/bin:$PATH
WORKDIR /build
COPY requirements.txt config/cli/unused.py ./
RUN python -m venv /venv
RUN pip install --no-cache-dir --only-binary :all: --require-hashes --no-deps -r requirements.txt
RUN python unused.py /venv/lib/python3.11/site-packages

FROM python:3.11-slim
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 LESART_DATA=/data
RUN useradd --uid 10001 --home-dir /data --create-home lesart
COPY --from=packages /venv /venv
WORKDIR /app
COPY . .
RUN python -m config.translations && python -m config.static_files && python -m compileall -q .
USER lesart
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--threads", "8", "--no-control-socket"]
