/**
 * The limits that an endpoint can have beside the general one: what is public, or costs money or much work. How many
 * requests a minute each allows is a setting of the service; a caller is counted by API key or account, a stranger by
 * address.
 */
export const rateLimitNames = [
  'signIn',
  'device',
  'deploy',
  'objects',
  'branches',
  'generate',
  'webhooks',
  'changelog',
] as const
export type RateLimitName = (typeof rateLimitNames)[number]

/**
 * Limits over all endpoints: of a caller with a good credential, of an address without one, and of an address whose
 * credentials are wrong.
 */
export const generalLimitNames = ['callers', 'strangers', 'failures'] as const
export type GeneralLimitName = (typeof generalLimitNames)[number]

/** Requests a minute. */
export type RateLimits = Readonly<Record<RateLimitName | GeneralLimitName, number>>
