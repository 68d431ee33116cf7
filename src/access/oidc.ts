import * as openid from 'openid-client'
import { Failure } from '../contract/failure.ts'
import type { Claims } from './identities.ts'

/** An identity provider and what it knows this service by. */
export interface OidcSettings {
  /** Of the provider: its discovery document is below. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** For people. */
  readonly name: string
}

/** What has to be known again when the browser comes back. */
export interface OidcFlow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

const timeoutSeconds = 10

/** Codes of openid-client for a parameter or a claim that is not as it was asked for: state, nonce, issuer, time. */
const foreign = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
])

/** A client of an OpenID Connect provider: the authorization code flow with PKCE, state and nonce. */
export class Oidc {
  readonly name: string
  readonly #settings: OidcSettings
  readonly #redirectUri: string
  #discovered: Promise<openid.Configuration> | undefined

  /** @param redirectUri where the provider sends browsers back to. */
  constructor(settings: OidcSettings, redirectUri: string) {
    this.name = settings.name
    this.#settings = settings
    this.#redirectUri = redirectUri
  }

  /** The page of the provider to send a browser to. Throws Failure `unavailable`. */
  async begin(): Promise<{ readonly url: URL; readonly flow: OidcFlow }> {
    const configuration = await this.#configuration()
    const flow = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
    }
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: 'openid email',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
    })
    return { url, flow }
  }

  /**
   * Who signed in.
   *
   * @param query of the request that the provider sent the browser back with, such as `?code=…&state=…`.
   * Throws Failure `access_denied` when the provider or the person refused, `invalid_grant` when the answer is not for
   * this flow, `unavailable` when the provider does not work.
   */
  async finish(query: string, { state, nonce, verifier }: OidcFlow): Promise<Claims> {
    const configuration = await this.#configuration()
    const url = new URL(this.#redirectUri)
    url.search = query
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const token = tokens.claims()
      if (token === undefined) throw new Error('the provider gave no ID token')
      // Many providers tell the address only where they are asked for it.
      const told = 'email' in token ? token : await openid.fetchUserInfo(configuration, tokens.access_token, token.sub)
      return {
        issuer: token.iss,
        subject: token.sub,
        email: typeof told['email'] === 'string' ? told['email'] : null,
        emailVerified: told['email_verified'] === true,
      }
    } catch (error) {
      throw failureOf(error)
    }
  }

  #configuration(): Promise<openid.Configuration> {
    this.#discovered ??= this.#discover().catch((error: unknown) => {
      // The next one asks again.
      this.#discovered = undefined
      throw unavailable(error)
    })
    return this.#discovered
  }

  #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings
    const url = new URL(issuer)
    const byHeader = openid.ClientSecretBasic(clientSecret)
    const byBody = openid.ClientSecretPost(clientSecret)
    const authenticate: openid.ClientAuth = (server, ...request) => {
      const methods = server.token_endpoint_auth_methods_supported
      const inHeader = methods === undefined || methods.includes('client_secret_basic')
      return (inHeader ? byHeader : byBody)(server, ...request)
    }
    return openid.discovery(url, clientId, undefined, authenticate, {
      timeout: timeoutSeconds,
      // The settings allow plain HTTP on this machine only.
      execute: url.protocol === 'http:' ? [openid.allowInsecureRequests] : [],
    })
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof openid.AuthorizationResponseError) {
    const options = { cause: error }
    return error.error === 'access_denied'
      ? new Failure('access_denied', 'The identity provider refused to sign in.', options)
      : new Failure('unavailable', `The identity provider answered ${error.error}.`, options)
  }
  if (error instanceof openid.ResponseBodyError && error.error === 'invalid_grant') {
    return new Failure('invalid_grant', 'The identity provider does not know the code, or it was used.', {
      cause: error,
    })
  }
  if (error instanceof openid.ClientError && foreign.has(error.code ?? '')) {
    return new Failure('invalid_grant', 'The identity provider’s answer is not for this sign-in.', { cause: error })
  }
  return unavailable(error)
}

function unavailable(cause: unknown): Failure {
  return new Failure('unavailable', 'The identity provider cannot be reached, or does not work as it should.', {
    hint: 'Try again later. The log of the service says more.',
    cause,
  })
}
