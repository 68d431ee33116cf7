import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileRoute, Route, Sha256 } from '../../contract/release.ts'
import { liveReleases } from '../../deploying/state.ts'
import { blobNames, partsOf, type Manifest } from '../../hosting/manifest.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import { filesBelow } from '../data-directory.ts'
import type { CheckedDocument, Findings } from './findings.ts'
import { CheckedPacks } from './packs.ts'

const suffix = '.json'
const deployAgain = 'Restore it from a backup. Or deploy again: a new release has all its files.'

/** Looks at what readers get: releases that must be there, and every file that one of them names. */
export async function checkReleases(
  folder: string,
  document: CheckedDocument | null,
  findings: Findings,
): Promise<{ readonly releases: number; readonly blobs: number; readonly bytes: number }> {
  // Manifests first: what they name was in a pack before.
  const manifests = await readManifests(folder, findings)
  const packs = await CheckedPacks.read(folder, findings)
  const named = new Set<Sha256>()
  const parts = new Map<Sha256, readonly Sha256[]>()
  for (const manifest of manifests.values()) await checkManifest(manifest, { packs, parts, named }, findings)
  await checkAssets(folder, { packs, named }, findings)
  for (const [blob, path] of packs.damaged()) {
    if (!named.has(blob))
      findings.note(path, `the file ${blob} is damaged, but nothing names it`, 'A collection drops it some day.')
  }
  if (document !== null) checkKept(document, manifests, findings)
  return { releases: manifests.size, blobs: packs.size, bytes: packs.bytes }
}

async function readManifests(folder: string, findings: Findings): Promise<Map<string, Manifest>> {
  const manifests = new Map<string, Manifest>()
  for (const path of await filesBelow(folder, 'releases')) {
    if (!path.endsWith(suffix)) continue
    const id = path.slice('releases/'.length, -suffix.length)
    const manifest = parseManifest(await readFile(join(folder, path), 'utf8'))
    if (manifest?.id === id) manifests.set(id, manifest)
    else findings.problem(path, 'cannot be read as a release', deployAgain)
  }
  return manifests
}

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
    `releases/${manifest.id}${suffix}`,
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
async function checkAssets(folder: string, { packs, named }: Omit<Blobs, 'parts'>, findings: Findings): Promise<void> {
  const text = await readFile(join(folder, 'assets.json'), 'utf8').catch(nullIfMissing)
  if (text === null) return
  let assets: [string, { route: FileRoute }][]
  try {
    assets = JSON.parse(text) as typeof assets
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    findings.problem('assets.json', 'is not JSON', 'Remove it while the service is stopped: deploys fill it again.')
    return
  }
  for (const [path, { route }] of assets) {
    named.add(route.blob)
    const fault = packs.fault(route.blob)
    if (fault !== null) findings.problem('assets.json', `${path} is ${fault}`, deployAgain)
  }
}

function checkKept(document: CheckedDocument, manifests: ReadonlyMap<string, Manifest>, findings: Findings): void {
  const { deploying, branching } = document
  const live = deploying?.live ?? null
  if (live !== null && !manifests.has(live.release)) {
    findings.problem(
      `releases/${live.release}${suffix}`,
      `is missing, and deploy ${live.number} serves it: the site is down`,
      deployAgain,
    )
  }
  for (const { release, deploy } of deploying === undefined ? [] : liveReleases(deploying)) {
    if (release === live?.release || manifests.has(release)) continue
    findings.problem(`releases/${release}${suffix}`, `is missing: nobody can go back to deploy ${deploy}`)
  }
  for (const { name, served } of branching?.branches ?? []) {
    if (served === undefined || manifests.has(served.release)) continue
    findings.note(
      `releases/${served.release}${suffix}`,
      `is missing, and the preview of ${name} shows it`,
      'The next start builds it again; so does a save.',
    )
  }
}
