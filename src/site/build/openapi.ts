import { posix } from 'node:path'
import { isArray, isObject, parseJson, type Json, type JsonObject } from '../config/json.ts'
import { escapeHtml } from '../../lib/html.ts'

/** What the front matter’s `openapi` names. */
export interface OperationReference {
  /** Project path of the API description, when it names one. */
  readonly file?: string
  readonly method: string
  readonly path: string
}

const methods = 'get|put|post|delete|patch|options|head|trace|webhook'
const referencePattern = new RegExp(`^(?:(\\S+)\\s+)?(${methods})\\s+(\\S+)$`, 'i')
/** Names of an API description that a page without a file name means. */
const usualFiles = ['openapi.json', 'api-reference/openapi.json']

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
export function readDescription(text: string): Json | undefined {
  return parseJson(text).value
}

/** Method, path, description and parameters of an operation, to stand before the page’s own text. */
export function operationHtml({ method, path }: OperationReference, operation: JsonObject | undefined): string {
  const badge = `<p class="q-operation"><strong>${escapeHtml(method)}</strong> <code>${escapeHtml(path)}</code></p>`
  const said = textOf(operation?.['description']) ?? textOf(operation?.['summary'])
  return badge + (said === undefined ? '' : paragraphs(said)) + parametersHtml(operation?.['parameters'])
}

function paragraphs(text: string): string {
  return text
    .slice(0, 20_000)
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim())}</p>`)
    .join('')
}

function parametersHtml(value: Json | undefined): string {
  const rows = (isArray(value) ? value : []).slice(0, 200).flatMap((parameter) => {
    const name = isObject(parameter) ? textOf(parameter['name']) : undefined
    if (!isObject(parameter) || name === undefined) return []
    const notes = [textOf(parameter['in']), parameter['required'] === true ? 'required' : undefined].filter(
      (note) => note !== undefined,
    )
    const about = textOf(parameter['description']) ?? ''
    return `<li><code>${escapeHtml(name)}</code> <em>${escapeHtml(notes.join(', '))}</em> ${escapeHtml(about.slice(0, 2000))}</li>`
  })
  return rows.length === 0 ? '' : `<p><strong>Parameters</strong></p><ul>${rows.join('')}</ul>`
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
