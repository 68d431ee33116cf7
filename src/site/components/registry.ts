import { accordions } from './accordions.tsx'
import { blocks } from './blocks.tsx'
import { callouts } from './callouts.tsx'
import { cards } from './cards.tsx'
import type { Component } from './component.ts'
import { fields } from './fields.tsx'
import { inline } from './inline.tsx'
import { stepComponents } from './steps.tsx'
import { tabComponents } from './tabs.tsx'

/** All components by the name that authors write. `Snippet` is not here: the renderer resolves it to a file. */
export const components: ReadonlyMap<string, Component> = new Map(
  [accordions, blocks, callouts, cards, fields, inline, stepComponents, tabComponents].flatMap((family) =>
    Object.entries(family),
  ),
)
