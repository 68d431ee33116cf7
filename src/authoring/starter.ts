/** The `docs.json` of the pages in starter/ with a site's own name; all else of it stays. */
export function withName(config: string, name: string): string {
  return `${JSON.stringify({ ...(JSON.parse(config) as object), name }, null, 2)}\n`
}
