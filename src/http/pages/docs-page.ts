import type { TSchema } from 'typebox'
import type { Endpoint } from '../../contract/endpoint.ts'
import { failureCodes } from '../../contract/failure.ts'
import { operations } from '../api/openapi.ts'

export const docsPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 6rem }
h2 { margin-top: 3rem; text-transform: capitalize }
h3 { margin: 2rem 0 .25rem; font-size: 1rem }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace }
pre { overflow: auto; padding: .75rem; border: 1px solid #8884; border-radius: .5rem; margin: .5rem 0 }
h3 b { display: inline-block; min-width: 4.5em } td { padding: .25rem 1rem .25rem 0; vertical-align: top } a { color: inherit }
details { margin: .25rem 0 } .quiet { opacity: .7 }`

interface Shape {
  readonly type?: string
  readonly const?: unknown
  readonly anyOf?: readonly Shape[]
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly description?: string
}

/** A schema as people write types. */
function typeOf(shape: Shape, indent = ''): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.anyOf !== undefined) return shape.anyOf.map((option) => typeOf(option, indent)).join(' | ')
  if (shape.type === 'array') return `[${typeOf(shape.items ?? {}, indent)}, …]`
  if (shape.properties === undefined) return shape.type ?? 'any'
  const members = Object.entries(shape.properties).map(([name, member]) => {
    const optional = shape.required?.includes(name) === true ? '' : '?'
    const comment = member.description === undefined ? '' : `  // ${member.description}`
    return `${indent}  ${name}${optional}: ${typeOf(member, `${indent}  `)}${comment}`
  })
  return `{\n${members.join('\n')}\n${indent}}`
}

function part(title: string, schema: TSchema | undefined): string {
  if (schema === undefined) return ''
  return `<details><summary>${title}</summary><pre>${escape(typeOf(schema))}</pre></details>`
}

function section(id: string, endpoint: Endpoint): string {
  const failures = (endpoint.failures ?? []).map((code) => `<a href="#${code}"><code>${code}</code></a>`).join(', ')
  return `<article id="${escape(id)}">
<h3><b>${endpoint.method}</b> <code>${escape(endpoint.path)}</code></h3>
<p>${escape(endpoint.summary)}. ${escape(endpoint.description ?? '')} <span class="quiet">Access: ${endpoint.access}.</span></p>
${part('Query', endpoint.query)}${part('Body', endpoint.body)}${part(`Reply ${endpoint.status}`, endpoint.reply)}
${failures === '' ? '' : `<p class="quiet">Refusals: ${failures}</p>`}
</article>`
}

/** The API for people: one page, made of the contract, without scripts or other files. */
export function docsPage(version: string): string {
  const byNoun = new Map<string, string>()
  for (const { id, noun, endpoint } of operations()) byNoun.set(noun, (byNoun.get(noun) ?? '') + section(id, endpoint))
  const nouns = [...byNoun].map(([noun, articles]) => `<section><h2>${noun}</h2>${articles}</section>`)
  const codes = Object.entries(failureCodes).map(
    ([code, row]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${row.status}</td><td>${escape(row.title)}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Quire API</title><style>${style}</style></head><body>
<h1>Quire API</h1>
<p>Version ${escape(version)}. The same as <a href="/api/openapi.json">OpenAPI 3.1</a>. Send <code>Authorization: Bearer …</code> with an API key of
the project, or with a session’s token. Refusals are <code>application/problem+json</code> (RFC 9457) with a stable <code>code</code>.</p>
${nouns.join('\n')}
<section><h2>Refusals</h2><table>${codes.join('\n')}</table></section>
</body></html>`
}
