/** What a turn may take at most. Characters where nothing else is said. */
export const bounds = {
  /** Uses of tools. */
  steps: 40,
  /** Requests to models. */
  requests: 20,
  /** Tokens in and out, together. */
  tokens: 600_000,
  milliseconds: 10 * 60_000,
  /** The text of all its answers. */
  answer: 60_000,
  /** Arguments of one call. */
  arguments: 300_000,
  /** Arguments of all calls of one answer. */
  calls: 1_000_000,
  /** What one use of a tool tells the model. */
  result: 16_000,
  /** Messages of one request to a model; the oldest answers of tools are left out. */
  context: 300_000,
  /** What was said before, with what is told of each turn. */
  history: 60_000,
  /** Bytes of files that are read, searches included. */
  readBytes: 48 * 1024 * 1024,
  /** Of those, for searches: what they find can still be read. */
  searchBytes: 40 * 1024 * 1024,
  /** Bytes of the largest file that is read or written. */
  fileBytes: 1024 * 1024,
  /** Files that are changed. */
  changedFiles: 100,
  /** Bytes of changed files together. */
  changedBytes: 1024 * 1024,
  /** Uses of `check_site`. */
  checks: 8,
  /** Rounds in which the model mends what does not build. */
  repairs: 2,
  /** The same call on the same files is made so often; further ones are refused. */
  sameCalls: 2,
  /** Refusals of such calls that end the turn. */
  refusedCalls: 4,
} as const

/** What is kept of conversations; the oldest go. */
export const kept = {
  /** Of one branch, and of one project. */
  ofBranch: 50,
  ofProject: 200,
  turns: 100,
  /** Of the turns of one conversation, and of one project. */
  conversationBytes: 1024 * 1024,
  projectBytes: 32 * 1024 * 1024,
  title: 80,
} as const
