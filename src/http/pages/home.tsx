/** @jsxImportSource #html */
import type { FastifyInstance } from 'fastify'
import { newAccount } from '../../contract/accounts.ts'
import { commandLine } from '../../contract/service.ts'
import type { Html } from '../../lib/html.ts'
import { SessionCookie } from '../auth/session-cookie.ts'
import { documentOf, ownPagePolicy } from '../sites/notice.tsx'

export interface HomeOptions {
  /** Origin of the dashboard and the API. */
  readonly publicUrl: string
  /** Who may create an account. */
  readonly signup: 'open' | 'closed'
}

/** `/` of the service: what it is, for whoever has no session here; the dashboard for all others. */
export function homeRoute(app: FastifyInstance, options: HomeOptions): void {
  const page = documentOf('Quire', contentOf(options))
  const cookie = new SessionCookie(options.publicUrl.startsWith('https:'))
  app.get('/', (request, reply) => {
    void reply.header('cache-control', 'no-cache').header('vary', 'cookie')
    if (cookie.read(request) !== null) return reply.redirect('/dashboard', 302)
    return reply.header('content-security-policy', ownPagePolicy).type('text/html; charset=utf-8').send(page)
  })
}

function contentOf({ publicUrl, signup }: HomeOptions): Html {
  return (
    <>
      <h1>Quire</h1>
      <p>
        Documentation from Git: send a folder of Markdown and MDX, and a fast, safe static site is live at an address of
        its own.
      </p>
      <p>
        <a href="/dashboard">Sign in</a>
        {signup === 'open' && (
          <>
            {' · '}
            <a href={`/dashboard?${newAccount}`}>Create an account</a>
          </>
        )}
        {' · '}
        <a href="/api/docs">API docs</a>
      </p>
      <p>
        Or begin in a terminal, with <a href={commandLine}>the command line</a> of this service:
      </p>
      <pre>
        {[
          `quire login --url ${publicUrl}`,
          'quire init docs',
          'quire projects create my-docs',
          'quire deploy docs --project my-docs',
        ].join('\n')}
      </pre>
    </>
  )
}
