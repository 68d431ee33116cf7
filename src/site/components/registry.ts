import { accordions } from './accordions.ts'
import { apiFields } from './api-fields.ts'
import { callouts } from './callouts.ts'
import { cards } from './cards.ts'
import type { Component } from './component.ts'
import { frames } from './frames.ts'
import { inline } from './inline.ts'
import { stepComponents } from './steps.ts'
import { tabComponents } from './tabs.ts'
import { trees } from './trees.ts'
import { updates } from './updates.ts'
import { visibilityComponents } from './visibility.ts'

/** All components by the name that authors write. `Snippet` is not here: the renderer resolves it to a file. */
export const components: ReadonlyMap<string, Component> = new Map(
  [
    accordions,
    apiFields,
    callouts,
    cards,
    frames,
    inline,
    stepComponents,
    tabComponents,
    trees,
    updates,
    visibilityComponents,
  ].flatMap((family) => Object.entries(family)),
)
