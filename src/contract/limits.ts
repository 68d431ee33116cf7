/** Limits that clients and service must agree on. Sizes in bytes. */
export const limits = {
  /** Body of a request that carries files: 10 MB (10 · 2²⁰). */
  requestBytes: 10 * 1024 * 1024,
  /** Body of any other request. */
  bodyBytes: 64 * 1024,
  /** Arrays and objects of a body, one in another. */
  jsonDepth: 32,
  /** Values of a body, arrays and objects included. */
  jsonValues: 160_000,
  /** Values of one item of a list, and of all that is in no list. */
  jsonMembers: 1000,
  /** One file of a project, decoded: 5 MB (5 · 2²⁰). */
  fileBytes: 5 * 1024 * 1024,
  /** Files of one deploy. */
  files: 30_000,
  /** Folders of a project, those in folders included: each is an object of its own in Git. */
  folders: 30_000,
  /** A path in a project, UTF-8. */
  pathBytes: 1024,
  pathSegmentBytes: 255,
  pathDepth: 32,
  /** Source of one page, without pictures that stand in its text (`data:`). */
  pageBytes: 1024 * 1024,
  /** Bytes of a description of an API, and of each file that it refers to. */
  descriptionBytes: 8 * 1024 * 1024,
  /** docs.json and the files that it includes, together: 4 MB (4 · 2²⁰), in characters. */
  configBytes: 4 * 1024 * 1024,
  /** Texts, numbers, lists and objects in these files together. */
  configValues: 100_000,
  /**
   * Navigation and titles of a site together, with all else that its pages share: 16 MB (16 · 2²⁰). Of 30,000 pages whose
   * titles and paths have 70 letters it is a third.
   */
  shellBytes: 16 * 1024 * 1024,
  /** The pages of a site as one text, `llms-full.txt`: 16 MB (16 · 2²⁰). */
  llmsFullBytes: 16 * 1024 * 1024,
  /** Redirects of docs.json, and those among them whose source has parameters. */
  redirects: 5_000,
  redirectPatterns: 500,
  /** Versions of a site whose pages come from tags. */
  tagVersions: 20,
  /** Messages of one request to a model, together. */
  promptBytes: 512 * 1024,
  promptMessages: 200,
  /** One message to the assistant, and one question of a reader, in characters. */
  assistantMessage: 20_000,
  question: 500,
  /** Answers that readers of a site may get in a day: the most that docs.json can allow. */
  answersPerDay: 1000,
} as const

/**
 * The limits that an endpoint can have beside the general one: what is public, or costs money or much work. How many
 * requests a minute each allows is a setting of the service; a caller is counted by account (a key counts for the owner
 * of its project), a stranger by network.
 */
export const rateLimitNames = [
  'signIn',
  'device',
  'deploy',
  'objects',
  'branches',
  'checks',
  'renders',
  'searches',
  'generate',
  'ask',
  'views',
  'feedback',
  'webhooks',
  'domains',
  'enter',
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
