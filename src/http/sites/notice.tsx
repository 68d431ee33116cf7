/** @jsxImportSource #html */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { raw, type Html } from '../../lib/html.ts'

/** What stands in the place of a site: a page for browsers, lines of text for programs. */
export interface Notice {
  readonly status: number
  /** A short sentence, without a full stop. */
  readonly title: string
  /** What is to be done. */
  readonly text?: string
  /** As they are written, below the text: errors with their places. */
  readonly lines?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** Below all. */
  readonly link?: { readonly href: string; readonly label: string }
}

const style =
  ':root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;' +
  'padding:0 1.5rem;font:1rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}h1{margin:0;font-size:1.25rem;' +
  'font-weight:600;text-wrap:balance}p{margin:.5rem auto 0;max-width:34rem;opacity:.75}' +
  'pre{margin:1.5rem auto 0;max-width:min(48rem,calc(100vw - 3rem));overflow:auto;text-align:start;' +
  'font:.875rem/1.6 ui-monospace,monospace;white-space:pre-wrap}'

/** Of the page: nothing of it runs, and nothing is sent. */
export const noticePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** Of a page of the service’s own host: nobody shows it in a frame, either. */
export const ownPagePolicy = `${noticePolicy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** @param asPage also for programs that do not ask for a page. */
export function sendNotice(
  request: IncomingMessage,
  response: ServerResponse,
  notice: Notice,
  { asPage = false }: { readonly asPage?: boolean } = {},
): void {
  const isPage = asPage || request.headers.accept?.includes('text/html') === true
  const bytes = Buffer.from(isPage ? noticePage(notice) : textOf(notice))
  response.writeHead(notice.status, {
    'Content-Type': isPage ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
    'Content-Length': bytes.length,
    ...(isPage ? { 'Content-Security-Policy': noticePolicy } : {}),
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    ...notice.headers,
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

function textOf({ title, text, lines = [] }: Notice): string {
  const head = text === undefined ? title : `${title}. ${text}`
  return `${[head, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n')}\n`
}

export function noticePage({ title, text, lines = [], link }: Omit<Notice, 'status' | 'headers'>): string {
  return documentOf(
    title,
    <>
      <h1>{title}</h1>
      {text !== undefined && <p>{text}</p>}
      {lines.length > 0 && <pre>{lines.join('\n')}</pre>}
      {link !== undefined && (
        <p>
          <a href={link.href}>{link.label}</a>
        </p>
      )}
    </>,
  )
}

/** A page that looks as notices do. @param content of `main` */
export function documentOf(title: string, content: Html): string {
  const { html } = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <style>{raw(style)}</style>
      </head>
      <body>
        <main>{content}</main>
      </body>
    </html>
  )
  return `<!doctype html>${html}\n`
}
