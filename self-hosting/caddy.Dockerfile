# Caddy with the module for your DNS, which a certificate for *.example-docs.net needs: https://caddyserver.com/docs/modules/
FROM caddy:2-builder AS build
ARG DNS_MODULE=github.com/caddy-dns/cloudflare
RUN xcaddy build --with "$DNS_MODULE"

FROM caddy:2
COPY --from=build /usr/bin/caddy /usr/bin/caddy
