/** Paths on the host of a site that its pages report their readers to. By itself, so that their scripts stay small. */
export const readerPaths = {
  views: '/_quire/views',
  searches: '/_quire/searches',
  feedback: '/_quire/feedback',
} as const
