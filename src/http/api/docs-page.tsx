/** @jsxImportSource #html */
import type { TSchema } from 'typebox'
import type { Endpoint } from '../../contract/endpoint.ts'
import { failureCodes } from '../../contract/failure.ts'
import { raw, type Child, type Html } from '../../lib/html.ts'
import { operations } from './openapi.ts'
import { schemaText } from './schema-text.ts'

export const docsPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 6rem }
h2 { margin-top: 3rem; text-transform: capitalize }
h3 { margin: 2rem 0 .25rem; font-size: 1rem }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace }
pre { overflow: auto; padding: .75rem; border: 1px solid #8884; border-radius: .5rem; margin: .5rem 0 }
h3 b { display: inline-block; min-width: 4.5em } td { padding: .25rem 1rem .25rem 0; vertical-align: top } a { color: inherit }
details { margin: .25rem 0 } .quiet { opacity: .7 }`

function SchemaPart({ title, schema }: { readonly title: string; readonly schema: TSchema | undefined }): Child {
  if (schema === undefined) return null
  return (
    <details>
      <summary>{title}</summary>
      <pre>{schemaText(schema)}</pre>
    </details>
  )
}

function EndpointArticle({ id, endpoint }: { readonly id: string; readonly endpoint: Endpoint }): Html {
  const { method, path, summary, description, access, query, body, status, reply, forDeploys, stream } = endpoint
  const { failures = [] } = endpoint
  return (
    <article id={id}>
      <h3>
        <b>{method}</b> <code>{path}</code>
      </h3>
      <p>
        {summary}. {description}{' '}
        <span class="quiet">
          Access: {access}
          {forDeploys === true && ' or deploy'}.
        </span>
      </p>
      <SchemaPart title="Query" schema={query} />
      <SchemaPart title="Body" schema={body} />
      <SchemaPart title={`Reply ${status}`} schema={reply} />
      {stream === true && (
        <p>
          Reply {status}: <code>text/event-stream</code>. The <code>data:</code> of each event is JSON with its name as{' '}
          <code>type</code>.
        </p>
      )}
      {failures.length > 0 && (
        <p class="quiet">
          Refusals:{' '}
          {failures.map((code, index) => (
            <>
              {index > 0 && ', '}
              <a href={`#${code}`}>
                <code>{code}</code>
              </a>
            </>
          ))}
        </p>
      )}
    </article>
  )
}

/** The API for people: one page, made of the contract, without scripts or other files. */
export function docsPage(version: string): string {
  const all = [...operations()]
  const nouns = [...new Set(all.map(({ noun }) => noun))]
  const { html } = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Quire API</title>
        <style>{raw(style)}</style>
      </head>
      <body>
        <main>
          <h1>Quire API</h1>
          <p>
            Version {version}. The same as <a href="/api/openapi.json">OpenAPI 3.1</a>. Send{' '}
            <code>Authorization: Bearer …</code> with an API key of the project, or with a session’s token. Refusals are{' '}
            <code>application/problem+json</code> (RFC 9457) with a stable <code>code</code>. Bodies may come with{' '}
            <code>Content-Encoding: gzip</code>; limits of size are those of what comes out.
          </p>
          {nouns.map((noun) => (
            <section>
              <h2>{noun}</h2>
              {all.map(
                (operation) =>
                  operation.noun === noun && <EndpointArticle id={operation.id} endpoint={operation.endpoint} />,
              )}
            </section>
          ))}
          <section>
            <h2>Refusals</h2>
            <table>
              {Object.entries(failureCodes).map(([code, { status, title }]) => (
                <tr id={code}>
                  <td>
                    <code>{code}</code>
                  </td>
                  <td>{status}</td>
                  <td>{title}</td>
                </tr>
              ))}
            </table>
          </section>
        </main>
      </body>
    </html>
  )
  return `<!doctype html>${html}`
}
