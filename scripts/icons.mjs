// Packs the icon sets into two files of `dist/icons/`: `bodies.svg.txt`, all drawings one after the other, and
// `index.json`, where each begins. Names that a set used to have point at today's.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import { parse } from 'yaml'

const require = createRequire(import.meta.url)
const folderOf = (name) => dirname(require.resolve(`${name}/package.json`))
const fontAwesome = folderOf('@fortawesome/fontawesome-free')
const lucide = folderOf('lucide-static')

const folders = {
  solid: join(fontAwesome, 'svgs/solid'),
  regular: join(fontAwesome, 'svgs/regular'),
  brands: join(fontAwesome, 'svgs/brands'),
  lucide: join(lucide, 'icons'),
}
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
  const result = { solid: {}, regular: {}, brands: {}, lucide: {} }
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

export async function buildIcons() {
  const chunks = []
  const places = new Map()
  let offset = 0
  const sets = {}
  for (const [set, folder] of Object.entries(folders)) {
    sets[set] = {}
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.svg')).sort()) {
      const text = body(await readFile(join(folder, file), 'utf8'), join(folder, file))
      if (!places.has(text)) {
        const bytes = Buffer.from(text)
        places.set(text, [offset, bytes.length])
        chunks.push(bytes)
        offset += bytes.length
      }
      sets[set][file.slice(0, -4)] = places.get(text)
    }
  }
  await mkdir('dist/icons', { recursive: true })
  await writeFile('dist/icons/bodies.svg.txt', Buffer.concat(chunks))
  await writeFile('dist/icons/index.json', JSON.stringify({ sets, aliases: await aliases() }))
}
