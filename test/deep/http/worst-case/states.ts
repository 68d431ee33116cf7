import { limits } from '#contract/limits.ts'
import { commentLimits } from '#contract/comments.ts'
import { entryLimits } from '#contract/changelog.ts'
import { isThorough } from './bodies.ts'
import type { WorstRequest } from './requests.ts'
import type { WatchedService } from './watched.ts'

type Steps = (service: WatchedService) => AsyncGenerator<WorstRequest>

const json = { 'content-type': 'application/json' }

function asking(slug: string) {
  const base = `/api/projects/${slug}`
  const ask = (method: string, path: string, body: unknown, headers: Record<string, string> = {}): WorstRequest => ({
    what: `${method} ${path}`,
    method,
    path: path.startsWith('/api/') ? `${path}?project=${slug}` : base + path,
    headers: { ...(body === undefined ? {} : json), ...headers },
    ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
  })
  return {
    get: (path: string) => ask('GET', path, undefined),
    post: (path: string, body: unknown) => ask('POST', path, body),
    put: (path: string, body: unknown) => ask('PUT', path, body, { 'if-match': '*' }),
  }
}

/** As many as a deploy may have, in two folders: a folder is one object, that is read as a whole. */
const paths = Array.from({ length: limits.files - 1 }, (_, index) => `${index % 2 === 0 ? 'even' : 'odd'}/${index}.txt`)

async function branchId(service: WatchedService, name: string): Promise<string> {
  const { items } = (await service.json(`/api/projects/${service.slug}/branches?name=${name}`)) as {
    items: { id: string }[]
  }
  return items[0]?.id ?? ''
}

async function liveCommit(service: WatchedService): Promise<string> {
  const { items } = (await service.json(`/api/projects/${service.slug}/history?limit=1`)) as {
    items: { oid: string }[]
  }
  return items[0]?.oid ?? ''
}

async function* manyFiles(service: WatchedService): AsyncGenerator<WorstRequest> {
  const { get, post } = asking(service.slug)
  const files = (text: string) => [
    { path: 'index.md', content: '# Home' },
    ...paths.map((path, index) => ({ path, content: `${text} ${index}` })),
  ]
  yield post('/api/deploy', { files: files('first') })
  yield post('/api/deploy', { files: files('first') })
  yield get('/files')
  yield get('/history?path=even/0.txt')
  yield get(`/diff?commit=${await liveCommit(service)}`)
  yield post('/branches', { name: 'many' })
  const id = await branchId(service, 'many')
  const changes = paths.map((path, index) => ({ path, content: `branch ${index}` }))
  yield post(`/branches/${id}/commits`, { changes })
  for (const part of ['', '/files', '/diff', '/history']) yield get(`/branches/${id}${part}`)
  yield get(`/branches/${id}/search?q=branch&limit=1000`)
  yield get(`/branches/${id}/search?q=nowhere`)
  yield post(`/branches/${id}/check`, { changes: [{ path: 'index.md', content: 'other' }] })
  yield post(`/branches/${id}/check`, { changes: paths.map((path, at) => ({ path, content: `unsaved ${at}` })) })
  const unsaved = paths.map((path, at) => ({ path, content: `unsaved ${at}` }))
  yield post(`/branches/${id}/render`, { path: 'index.md', content: 'other', changes: unsaved })
  yield post('/api/check', { files: files('second') })
  yield post('/api/deploy', { files: files('second') })
  yield post(`/branches/${id}/update`, {})
  const resolutions = paths.map((path) => ({ path, use: 'main' }))
  yield post(`/branches/${id}/update`, { resolutions })
  yield post('/publish', { branchId: id })
}

/** As long as paths may be, with a dot at every other letter: hard on whoever looks for how a name ends. */
const dotted = (index: number): string =>
  ['a.', 'b.', 'c.'].map((part) => `${part.repeat(120)}d`).join('/') + `/${'e.'.repeat(100)}${index}.txt`
/** Long in bytes, and not in the form in which trees have them. */
const decomposed = (index: number): string => `${'U\u0308ni\u0302code\u0301/'.repeat(16)}${index}.txt`

async function* longPaths(service: WatchedService): AsyncGenerator<WorstRequest> {
  const { get, post } = asking(service.slug)
  yield post('/api/deploy', { files: [{ path: 'index.md', content: '# Home' }] })
  yield post('/branches', { name: 'long' })
  const id = await branchId(service, 'long')
  const part = 4900
  for (let begin = 0; begin < limits.files - part; begin += part) {
    const changes = Array.from({ length: part }, (_, at) => ({ path: dotted(begin + at), content: `text ${at}` }))
    yield post(`/branches/${id}/commits`, { changes })
  }
  yield get(`/branches/${id}/search?q=nowhere`)
  yield get(`/branches/${id}/search?q=text&limit=1000`)
  yield get(`/branches/${id}/search?q=text&folder=${'a/'.repeat(500)}`)
  const changes = Array.from({ length: 300 }, (_, at) => ({ path: decomposed(at), content: `text ${at}` }))
  yield post(`/branches/${id}/check`, { changes })
}

/** Pages that are wrong, each at many places. */
async function* wrongPages(service: WatchedService): AsyncGenerator<WorstRequest> {
  const { post } = asking(service.slug)
  yield post('/api/deploy', { files: [{ path: 'index.md', content: '# Home' }] })
  yield post('/branches', { name: 'wrong' })
  const id = await branchId(service, 'wrong')
  const pages = Array.from({ length: 5000 }, (_, at) => ({ path: `e/${at}.mdx`, content: '<Note>\n{' }))
  yield post(`/branches/${id}/check`, { changes: pages })
  const links = Array.from({ length: 500 }, (_, at) => ({ path: `l/${at}.md`, content: '[x](/nowhere) '.repeat(50) }))
  yield post(`/branches/${id}/check`, { changes: links })
  const deep = { path: 'deep.mdx', content: `${'<Note>'.repeat(50_000)}x${'</Note>'.repeat(50_000)}` }
  yield post(`/branches/${id}/check`, { changes: [deep] })
  yield post(`/branches/${id}/render`, deep)
  yield post(`/branches/${id}/render`, { path: 'long.md', content: '- [x](/nowhere) `y`\n'.repeat(30_000) })
}

/** Lines that all differ, and words that are half the same. */
const lines = (word: string): string =>
  Array.from({ length: 90_000 }, (_, index) => `line ${index} of ${word} and of what stays as it is, ${index}`).join(
    '\n',
  )

async function* largeFiles(service: WatchedService): AsyncGenerator<WorstRequest> {
  const { get, post, put } = asking(service.slug)
  yield post('/api/deploy', {
    files: [
      { path: 'index.md', content: '# Home' },
      { path: 'large.txt', content: lines('one') },
    ],
  })
  yield post('/branches', { name: 'large' })
  const id = await branchId(service, 'large')
  yield put(`/branches/${id}/files/large.txt`, { content: lines('two') })
  yield get(`/branches/${id}/diff`)
  yield get(`/branches/${id}/diff?path=large.txt`)
  yield get(`/branches/${id}/files/large.txt`)
  const medium = lines('three').slice(0, 500_000)
  yield put(`/branches/${id}/files/large.txt`, { content: medium })
  const repeated = 'a'.repeat(1024 * 1024)
  yield put(`/branches/${id}/files/repeated.txt`, { content: repeated })
  // Letters whose small form is longer, and characters of two units.
  const letters = { dotless: 'İ', pairs: '\u{10400}' }
  for (const [name, letter] of Object.entries(letters)) {
    const content = letter.repeat(Math.floor((1024 * 1024) / Buffer.byteLength(letter)))
    const changes = [1, 2, 3].map((copy) => ({ path: `${name}/${copy}.txt`, content }))
    yield post(`/branches/${id}/commits`, { changes })
    yield get(`/branches/${id}/search?q=nowhere&folder=${name}`)
  }
  for (const q of ['branch', `${'a'.repeat(100)}b${'a'.repeat(99)}`, 'of+what'])
    yield get(`/branches/${id}/search?q=${q}`)
  yield get(`/branches/${id}/diff?path=large.txt`)
  yield post('/api/deploy', {
    files: [
      { path: 'index.md', content: '# Home' },
      { path: 'large.txt', content: lines('four') },
    ],
  })
  yield post(`/branches/${id}/update`, {})
}

async function* largeEntries(service: WatchedService): AsyncGenerator<WorstRequest> {
  const { get, post } = asking(service.slug)
  const words = '<p>ä & *emphasis* [link](/x) `code` \n\n'
  for (let index = 0; index < (isThorough ? 10 : 4); index++) {
    const content = words.repeat(Math.floor(entryLimits.contentBytes / Buffer.byteLength(words)))
    yield post('/changelog', { title: `Entry ${index}`, content, is_draft: false })
  }
  for (const format of ['rss', 'atom', 'feed.json']) yield get(`/changelog/${format}`)
  yield get('/changelog')
  yield get('/changelog?limit=200')
}

async function* manyComments(service: WatchedService): AsyncGenerator<WorstRequest> {
  const { get, post } = asking(service.slug)
  yield post('/api/deploy', { files: [{ path: 'index.md', content: '# Home' }] })
  // Characters are counted as people see them: one may be very long.
  const worst = {
    talked: { text: '😀'.repeat(commentLimits.text), line: '# Home' },
    other: { text: 'Why?', line: `a${'\u0301'.repeat(20_000)}` },
  }
  for (const [name, { text, line: words }] of Object.entries(worst)) {
    yield post('/branches', { name })
    const id = await branchId(service, name)
    const line = { side: 'main', number: 1, text: words }
    const path = 'a/'.repeat(20) + 'b.md'
    for (let made = 0; made < (isThorough ? commentLimits.ofBranch : 100); made++)
      yield post(`/branches/${id}/comments`, { text, path, line })
    yield get(`/branches/${id}/comments?limit=200`)
    yield get(`/branches/${id}/comments?limit=1`)
  }
}

export const heldBy: Readonly<Record<string, Steps>> = {
  'very many files': manyFiles,
  'very long paths': longPaths,
  'pages that are wrong': wrongPages,
  'very large files': largeFiles,
  'very large entries': largeEntries,
  'very many comments': manyComments,
}
