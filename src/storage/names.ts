const namePattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\/[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/
const projectPattern = /^project\/([^/]+)$/

/**
 * The file of a document: `project/<slug>` is `<slug>.json`, beside `<slug>.git`; every other name gets a leading `_`
 * and dots for its slashes (`service` is `_service.json`), which no slug has, so a project named `service` is safe.
 * Names are segments of lower-case letters, digits and inner hyphens, joined by `/`.
 */
export function fileOf(document: string): string {
  if (!namePattern.test(document)) throw new Error(`not a document name: ${JSON.stringify(document)}`)
  const slug = projectPattern.exec(document)?.[1]
  return slug === undefined ? `_${document.replaceAll('/', '.')}.json` : `${slug}.json`
}

/** The inverse of fileOf; null for a file that is no document's. */
export function documentOf(file: string): string | null {
  if (!file.endsWith('.json')) return null
  const stem = file.slice(0, -'.json'.length)
  const name = stem.startsWith('_') ? stem.slice(1).replaceAll('.', '/') : `project/${stem}`
  return namePattern.test(name) && fileOf(name) === file ? name : null
}
