import { posix } from 'node:path'

const methods = 'get|put|post|delete|options|head|patch|trace'
const operationPattern = new RegExp(`^(?:(\\S+)\\s+)?(?:(${methods})\\s+(\\S+)|webhook\\s+(.+))$`, 'i')

/** What `[file] METHOD /path` and `[file] webhook name` name. */
export interface OperationName {
  readonly source?: string
  /** As entries have it. */
  readonly name: string
}

export function operationName(text: string): OperationName | undefined {
  const [, source, method, path, webhook] = operationPattern.exec(text.trim()) ?? []
  const name =
    webhook !== undefined
      ? `WEBHOOK ${webhook.trim()}`
      : method === undefined || path === undefined
        ? undefined
        : `${method.toUpperCase()} ${path}`
  if (name === undefined) return undefined
  return source === undefined ? { name } : { source: sourceName(source), name }
}

/** A path as files have it; an address as it is. */
export function sourceName(text: string): string {
  return isAddress(text) ? text : posix.normalize(text.replace(/^\/+/, ''))
}

export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source)
}
