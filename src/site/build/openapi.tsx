/** @jsxImportSource #html */
import { posix } from 'node:path'
import type { Steps } from '../../lib/slices.ts'
import { isArray, isObject, parseJson, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { Html } from '../../lib/html.ts'

const methods = 'get|put|post|delete|patch|options|head|trace|webhook'
const referencePattern = new RegExp(`^(?:(\\S+)\\s+)?(${methods})\\s+(\\S+)$`, 'i')
/** Names of an API description that a page without a file name means. */
const usualFiles = ['openapi.json', 'api-reference/openapi.json']
const maxParameters = 200
/** Texts, numbers, lists and objects of a description. */
const maxValues = 500_000
/** UTF-16 code units of a description that are shown, and of what is said about a parameter. */
const longestDescription = 20_000
const longestAbout = 2_000

/** What the front matter’s `openapi` names. */
export interface OperationReference {
  /** Project path of the API description, when it names one. */
  readonly file?: string
  readonly method: string
  readonly path: string
}

/** Reads `[file] METHOD /path`; undefined when it is something else. Only files of the project are ever looked at. */
export function readReference(text: string): OperationReference | undefined {
  const match = referencePattern.exec(text.trim())
  if (match === null) return undefined
  const [, file, method = '', path = ''] = match
  if (file === undefined) return { method: method.toUpperCase(), path }
  const inside = /^[^:\\\p{Cc}]+\.json$/iu.test(file) ? posix.normalize(file.replace(/^\/+/, '')) : '..'
  return { ...(inside.startsWith('..') ? {} : { file: inside }), method: method.toUpperCase(), path }
}

/** Project paths where the operation may be described, best first. */
export function descriptionFiles(reference: OperationReference): readonly string[] {
  return reference.file === undefined ? usualFiles : [reference.file]
}

/** Finds the operation in an API description (OpenAPI 3, JSON); undefined when it is not there. */
export function findOperation(
  description: Json | undefined,
  { method, path }: OperationReference,
): JsonObject | undefined {
  const paths = isObject(description) ? description[method === 'WEBHOOK' ? 'webhooks' : 'paths'] : undefined
  const entry = isObject(paths) ? (paths[path] ?? paths[path.replace(/\/$/, '')] ?? paths[`${path}/`]) : undefined
  const operation = isObject(entry) ? entry[method === 'WEBHOOK' ? 'post' : method.toLowerCase()] : undefined
  return isObject(operation) ? operation : undefined
}

/** Parses an API description; undefined when it is no JSON within the limits. */
export function* readDescription(text: string): Steps<Json | undefined> {
  const { value } = yield* parseJson(text, { budget: { max: maxValues, used: 0 } })
  return value
}

/** Method, path, description and parameters of an operation, to stand before the page’s own text. */
export function renderOperation({ method, path }: OperationReference, operation: JsonObject | undefined): Html {
  const description = textOf(operation?.['description']) ?? textOf(operation?.['summary'])
  const parameters = readParameters(operation?.['parameters'])
  return (
    <>
      <p class="q-operation">
        <strong>{method}</strong> <code>{path}</code>
      </p>
      {description !== undefined && paragraphsOf(description).map((paragraph) => <p>{paragraph}</p>)}
      {parameters.length > 0 && (
        <>
          <p>
            <strong>Parameters</strong>
          </p>
          <ul>
            {parameters.map(({ name, notes, about }) => (
              <li>
                <code>{name}</code> <em>{notes}</em> {about}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function paragraphsOf(text: string): string[] {
  return text
    .slice(0, longestDescription)
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
}

interface Parameter {
  readonly name: string
  /** Where it stands, and whether a call needs it: `query, required`. */
  readonly notes: string
  readonly about: string
}

function readParameters(value: Json | undefined): Parameter[] {
  const listed = isArray(value) ? value.slice(0, maxParameters) : []
  return listed.flatMap((parameter) => {
    const name = isObject(parameter) ? textOf(parameter['name']) : undefined
    if (!isObject(parameter) || name === undefined) return []
    const notes = [textOf(parameter['in']), parameter['required'] === true ? 'required' : undefined]
    const about = textOf(parameter['description']) ?? ''
    return [{ name, notes: notes.filter((note) => note !== undefined).join(', '), about: about.slice(0, longestAbout) }]
  })
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
