import type { FileRoute, Route, Sha256 } from '../../contract/release.ts'
import { liveReleases } from '../../deploying/state.ts'
import { blobNames, partsOf, type Manifest } from '../../hosting/manifest.ts'
import { fileOfText } from '../../storage/blobs/file-blobs.ts'
import type { CheckedPacks } from '../../storage/directory/check-packs.ts'
import type { DataDirectory, ReadTexts } from '../../storage/directory/data-directory.ts'
import type { CheckedDocument, Findings } from './findings.ts'

const folder = 'releases'
const assetsName = 'assets'
const deployAgain = 'Run quire admin repair with the project: it is built again from Git.'

/** Looks at what readers get: releases that must be there, and every file that one of them names. */
export async function checkReleases(
  directory: DataDirectory,
  { projectId, document }: { readonly projectId: string; readonly document: CheckedDocument | null },
  findings: Findings,
): Promise<{ readonly releases: number; readonly blobs: number; readonly bytes: number }> {
  // Manifests first: what they name was in a pack before.
  const texts = directory.texts(projectId)
  const manifests = await readManifests(texts, findings)
  const packs = await directory.checkPacks(projectId, findings)
  const named = new Set<Sha256>()
  const parts = new Map<Sha256, readonly Sha256[]>()
  for (const manifest of manifests.values()) await checkManifest(manifest, { packs, parts, named }, findings)
  await checkAssets(texts, { packs, named }, findings)
  for (const [blob, path] of packs.damaged()) {
    if (!named.has(blob))
      findings.note(path, `the file ${blob} is damaged, but nothing names it`, 'A collection drops it some day.')
  }
  if (document !== null) checkKept(document, manifests, findings)
  return { releases: manifests.size, blobs: packs.size, bytes: packs.bytes }
}

async function readManifests(texts: ReadTexts, findings: Findings): Promise<Map<string, Manifest>> {
  const manifests = new Map<string, Manifest>()
  for (const id of await texts.list(folder)) {
    const manifest = parseManifest((await texts.read(`${folder}/${id}`)) ?? '')
    if (manifest?.id === id) manifests.set(id, manifest)
    else findings.problem(releaseFile(id), 'cannot be read as a release', deployAgain)
  }
  return manifests
}

const releaseFile = (id: string): string => fileOfText(`${folder}/${id}`)

function parseManifest(text: string): Manifest | null {
  try {
    const manifest = JSON.parse(text) as Partial<Manifest> | null
    const { storage, tables, lists, fields } = manifest ?? {}
    return storage === 1 && isObject(tables) && isObject(lists) && isObject(fields) ? (manifest as Manifest) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

interface Blobs {
  readonly packs: CheckedPacks
  /** What each part of a manifest names: many releases share most of them. */
  readonly parts: Map<Sha256, readonly Sha256[]>
  /** All that something names. */
  readonly named: Set<Sha256>
}

async function checkManifest(manifest: Manifest, { packs, parts, named }: Blobs, findings: Findings): Promise<void> {
  const own = new Set<Sha256>(blobNames(JSON.stringify(manifest.fields)))
  for (const part of partsOf(manifest)) {
    own.add(part)
    let names = parts.get(part)
    if (names === undefined) {
      names = [...blobNames((await packs.text(part)) ?? '')]
      parts.set(part, names)
    }
    for (const name of names) own.add(name)
  }
  const faulty = [...own].filter((blob) => packs.fault(blob) !== null)
  for (const blob of own) named.add(blob)
  const [first] = faulty
  if (first === undefined) return
  const path = await pathOf(manifest, first, packs)
  const what = path === null ? `the file ${first}` : `${path} (file ${first})`
  findings.problem(
    releaseFile(manifest.id),
    `${faulty.length} of its ${own.size} files cannot be served; first: ${what} is ${packs.fault(first)}`,
    deployAgain,
  )
}

/** The URL path that a file is served at, where it is a page's or a file's. */
async function pathOf(manifest: Manifest, blob: Sha256, packs: CheckedPacks): Promise<string | null> {
  for (const chunk of manifest.tables['routes'] ?? []) {
    const text = await packs.text(chunk)
    const routes = text === null ? [] : (JSON.parse(text) as [string, Route][])
    for (const [path, route] of routes) if (route.blob === blob) return path
  }
  return null
}

/** Files that pages older than the last deploy still ask for. */
async function checkAssets(
  texts: ReadTexts,
  { packs, named }: Omit<Blobs, 'parts'>,
  findings: Findings,
): Promise<void> {
  const text = await texts.read(assetsName)
  if (text === null) return
  let assets: [string, { route: FileRoute }][]
  try {
    assets = JSON.parse(text) as typeof assets
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    findings.problem(
      fileOfText(assetsName),
      'is not JSON',
      'Remove it while the service is stopped: deploys fill it again.',
    )
    return
  }
  for (const [path, { route }] of assets) {
    named.add(route.blob)
    const fault = packs.fault(route.blob)
    if (fault !== null) findings.problem(fileOfText(assetsName), `${path} is ${fault}`, deployAgain)
  }
}

function checkKept(document: CheckedDocument, manifests: ReadonlyMap<string, Manifest>, findings: Findings): void {
  const { deploying, branching } = document
  const live = deploying?.live ?? null
  if (live !== null && !manifests.has(live.release)) {
    findings.problem(
      releaseFile(live.release),
      `is missing, and deploy ${live.number} serves it: the site is down`,
      deployAgain,
    )
  }
  for (const { release, deploy } of deploying === undefined ? [] : liveReleases(deploying)) {
    if (release === live?.release || manifests.has(release)) continue
    findings.problem(releaseFile(release), `is missing: nobody can go back to deploy ${deploy}`, deployAgain)
  }
  for (const { name, served } of branching?.branches ?? []) {
    if (served === undefined || manifests.has(served.release)) continue
    findings.note(
      releaseFile(served.release),
      `is missing, and the preview of ${name} shows it`,
      'The next start builds it again; so does a save.',
    )
  }
}
