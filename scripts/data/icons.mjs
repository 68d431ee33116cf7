// Packs the icon sets into two files of `dist/icons/`: `bodies.svg.txt`, all drawings one after the other, and
// `index.json`, where each begins. Names that a set used to have point at today's.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import { parse } from 'yaml'

const require = createRequire(import.meta.url)
const folderOf = (name) => dirname(require.resolve(`${name}/package.json`))
const fontAwesome = folderOf('@fortawesome/fontawesome-free')
const tabler = folderOf('@tabler/icons')
const lucide = join(dirname(require.resolve('lucide-react')), '../esm/icons')

const setOfPrefix = { fas: 'solid', far: 'regular', fab: 'brands' }

/** `viewBox` and what stands inside `<svg>`, without comments and spare white space: `0 0 512 512|<path d="…"/>`. */
function body(svg, file) {
  const match = /<svg\b[^>]*?\bviewBox="([\d. -]+)"[^>]*>([\s\S]*)<\/svg>/.exec(svg.replace(/<!--[\s\S]*?-->/g, ''))
  if (match === null) throw new Error(`${file} is not an icon`)
  const inner = match[2]
    .replace(/\s+/g, ' ')
    .replace(/> </g, '><')
    .replace(/ \/>/g, '/>')
    .replaceAll(' fill="currentColor"', '')
    .trim()
  // These go into pages as they are.
  if (/<(?!\/?(?:path|circle|rect|line|polyline|polygon|ellipse|g)\b)|\son|href|style=/i.test(inner))
    throw new Error(`${file} holds more than shapes`)
  return `${match[1]}|${inner}`
}

async function aliases() {
  const result = { solid: {}, regular: {}, brands: {}, lucide: { fingerprint: 'fingerprint-pattern' }, tabler: {} }
  const families = JSON.parse(await readFile(join(fontAwesome, 'metadata/icon-families.json'), 'utf8'))
  for (const [name, { aliases: old, familyStylesByLicense }] of Object.entries(families))
    for (const { style } of familyStylesByLicense.free)
      for (const alias of old?.names ?? []) result[style][alias] = name
  const shims = parse(await readFile(join(fontAwesome, 'metadata/shims.yml'), 'utf8'))
  for (const [alias, { prefix, name }] of Object.entries(shims)) {
    const set = result[setOfPrefix[prefix] ?? 'solid']
    if (name !== undefined && name !== null && !Object.hasOwn(set, alias)) set[alias] = name
  }
  return result
}

/** `[name, body]` of each drawing of a set of Font Awesome. */
async function drawings(set) {
  const folder = join(fontAwesome, 'svgs', set)
  const files = (await readdir(folder)).filter((name) => name.endsWith('.svg')).sort()
  return Promise.all(
    files.map(async (file) => [
      file.slice(0, -4),
      body(await readFile(join(folder, file), 'utf8'), join(folder, file)),
    ]),
  )
}

/** Those of Lucide, from the package that the dashboard draws with: each of its modules says what shapes it has. */
async function lucideDrawings() {
  const files = (await readdir(lucide)).filter((name) => /^(?!index\.).*\.mjs$/.test(name)).sort()
  return Promise.all(
    files.map(async (file) => {
      const source = await readFile(join(lucide, file), 'utf8')
      // An older name exports another module's icon.
      const [, other = file] = /^export \{ default \} from '\.\/(.+)';$/m.exec(source) ?? []
      const { __iconData: data } = await import(join(lucide, other))
      return [file.slice(0, -4), lines(data.node, file)]
    }),
  )
}

/** Those of Tabler: `star`, and `star-filled` where there is one. */
async function tablerDrawings() {
  const kinds = await Promise.all(
    ['outline', 'filled'].map(async (kind) => {
      const nodes = JSON.parse(await readFile(join(tabler, `tabler-nodes-${kind}.json`), 'utf8'))
      return Object.entries(nodes).map(([name, node]) => {
        const drawing = lines(node, name)
        return kind === 'outline'
          ? [name, drawing]
          : [`${name}-filled`, `${drawing.replace('|', '|<g fill="currentColor" stroke="none">')}</g>`]
      })
    }),
  )
  return kinds.flat()
}

/** @param node shapes as packages for React have them: `['path', { d, key }]` */
function lines(node, name) {
  const shapes = node.map(([shape, values]) => {
    // React's `key` is no attribute.
    const attributes = Object.entries(values).filter(([attribute]) => attribute !== 'key')
    return `<${shape}${attributes.map(([attribute, value]) => ` ${attribute}="${value}"`).join('')}/>`
  })
  return body(`<svg viewBox="0 0 24 24">${shapes.join('')}</svg>`, name)
}

export async function buildIcons() {
  const chunks = []
  const places = new Map()
  let offset = 0
  const sets = {}
  const special = { lucide: lucideDrawings, tabler: tablerDrawings }
  for (const set of ['solid', 'regular', 'brands', 'lucide', 'tabler']) {
    sets[set] = {}
    for (const [name, text] of await (special[set] ?? drawings)(set)) {
      if (!places.has(text)) {
        const bytes = Buffer.from(text)
        places.set(text, [offset, bytes.length])
        chunks.push(bytes)
        offset += bytes.length
      }
      sets[set][name] = places.get(text)
    }
  }
  await mkdir('dist/icons', { recursive: true })
  await writeFile('dist/icons/bodies.svg.txt', Buffer.concat(chunks))
  await writeFile('dist/icons/index.json', JSON.stringify({ sets, aliases: await aliases() }))
}
