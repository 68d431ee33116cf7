import type { Tool } from '../../models/model.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { Refusal } from '../draft.ts'
import { lineOf } from '../words.ts'
import { checkSite } from './checking.ts'
import { deleteFile, editFile, moveFile, writeFile } from './editing.ts'
import { listFiles, readFile, searchFiles } from './reading.ts'
import type { AssistantTool } from './tool.ts'

/** All that the assistant can do. */
const all: readonly AssistantTool[] = [
  listFiles,
  readFile,
  searchFiles,
  checkSite,
  writeFile,
  editFile,
  deleteFile,
  moveFile,
]
const byName: ReadonlyMap<string, AssistantTool> = new Map(all.map((each) => [each.tool.name, each]))

/** As models are told of them. */
export const tools: readonly Tool[] = all.map((each) => each.tool)

/** Throws Refusal for a name that is no tool. */
export function toolOf(name: string): AssistantTool {
  const found = byName.get(name)
  if (found !== undefined) return found
  const known = [...byName.keys()]
  const nearest = nearestName(name, known)
  const hint = nearest === undefined ? `There are only ${known.join(', ')}.` : `Did you mean ${nearest}?`
  throw new Refusal(`There is no tool ${JSON.stringify(lineOf(name, 60))}. ${hint}`)
}
