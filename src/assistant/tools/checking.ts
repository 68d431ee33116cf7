import { Type } from 'typebox'
import { bounds } from '../bounds.ts'
import { describeDetails } from '../site-checks.ts'
import { count } from '../words.ts'
import { tool } from './tool.ts'

export const checkSite = tool({
  name: 'check_site',
  description: 'Builds the site with the changes of this turn, without keeping it, and tells errors and dead links.',
  parameters: Type.Object({}, { additionalProperties: false }),
  about: () => 'errors and dead links',
  run: async (_, { draft, checks, frame, signal }) => {
    const { errors, warnings, counts } = await checks.ofModel(draft, signal)
    const told = `${count(counts.errors, 'error')}, ${count(counts.warnings, 'warning')}`
    const list = describeDetails([...errors, ...warnings])
    return {
      text: list === '' ? 'The site builds.' : `${told}\n${frame.around('findings', list, bounds.result)}`,
      detail: told,
    }
  },
})
