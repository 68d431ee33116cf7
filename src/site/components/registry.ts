import { blocks } from './blocks.tsx'
import { boxes } from './boxes.tsx'
import type { Component } from './component.tsx'
import { fields } from './fields.tsx'
import { inline } from './inline.tsx'
import { sections } from './sections.tsx'

/** All components by the name that authors write. `Snippet` is not here: the renderer resolves it to a file. */
export const components: ReadonlyMap<string, Component> = new Map(
  [blocks, boxes, fields, inline, sections].flatMap((family) => Object.entries(family)),
)
