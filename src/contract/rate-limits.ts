/**
 * The limits that an endpoint can have beside the general one. How many requests each allows is a setting of the
 * service; a caller is counted by API key or account, a stranger by address.
 */
export const rateLimitNames = ['signIn', 'device', 'deploy', 'branches', 'generate', 'webhooks', 'changelog'] as const
export type RateLimitName = (typeof rateLimitNames)[number]
