import { api } from './api.tsx'
import { blocks } from './blocks.tsx'
import { boxes } from './boxes.tsx'
import type { Component } from './component.tsx'
import { fields } from './fields.tsx'
import { inline } from './inline.tsx'
import { prompts } from './prompts.tsx'
import { sections } from './sections.tsx'
import { colors } from './swatches.tsx'
import { trees } from './trees.tsx'
import { updates } from './updates.tsx'

/** All components by the name that authors write. `Snippet` is not here: the renderer resolves it to a file. */
export const components: ReadonlyMap<string, Component> = new Map(
  [blocks, boxes, colors, fields, inline, prompts, sections, trees, updates].flatMap((family) =>
    Object.entries(family),
  ),
)

/** Components of pages that are made of descriptions of APIs, before those of the same names. */
export const made: ReadonlyMap<string, Component> = new Map(Object.entries(api))
