import { request } from 'node:http'
import { contract } from '#contract/index.ts'
import { readerPaths } from '#contract/reader-paths.ts'
import type { Desk } from '#test/support/branching/support.ts'

export interface Reported {
  readonly status: number
  readonly location: string | undefined
  readonly text: string
}

export interface Reporting {
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  /** In the place of the site's own. */
  readonly host?: string
}

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Sends fields to a site as its pages do. */
export function report(
  { slug, port }: Pick<Desk, 'slug' | 'port'>,
  path: string,
  fields: Readonly<Record<string, string>>,
  { headers = {}, method = 'POST', host = `${slug}.localhost:${port}` }: Reporting = {},
): Promise<Reported> {
  return new Promise((resolve, reject) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8', 'user-agent': browser }
    const sent = request(
      { host: '127.0.0.1', port, path, method, agent: false, headers: { host, ...form, ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, location: response.headers.location, text }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(method === 'GET' ? undefined : new URLSearchParams(fields).toString())
  })
}

export const view = (desk: Desk, path: string, reporting?: Reporting): Promise<Reported> =>
  report(desk, readerPaths.views, { path }, reporting)
export const search = (desk: Desk, query: string, found: 'yes' | 'no', reporting?: Reporting): Promise<Reported> =>
  report(desk, readerPaths.searches, { query, found }, reporting)
export const answer = (
  desk: Desk,
  fields: Readonly<Record<string, string>>,
  reporting?: Reporting,
): Promise<Reported> => report(desk, readerPaths.feedback, fields, reporting)

export const analyticsOf = ({ client, slug }: Desk, days?: number) =>
  client.call(contract.analytics.read, { params: { slug }, query: days === undefined ? {} : { days } })
export const notesOf = ({ client, slug }: Desk, query: { path?: string; helpful?: 'yes' | 'no' } = {}) =>
  client.call(contract.feedback.list, { params: { slug }, query })

/** A small site. @param on settings of its docs.json */
export const siteWith = (on: object): Readonly<Record<string, string>> => ({
  'docs.json': JSON.stringify({ name: 'Docs', ...on }),
  'index.mdx': '---\ntitle: Welcome\n---\n\nQuire hosts documentation.\n',
  'guide/keys.mdx': '---\ntitle: Keys\n---\n\nA key lets a pipeline in.\n',
})

export const bothOn = { analytics: { enabled: true }, feedback: { enabled: true } }
