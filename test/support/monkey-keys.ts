/** Numbers from 0 to 1. */
export type Random = () => number

/** The same numbers for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const split = (text: string): readonly string[] => text.split(/\s+/)
export const letters = [
  ...'abcdefghijklmnopqrstuvwxyz  .,-#*`[]()<>{}/:|_1234567890'.split(''),
  '漢',
  '字',
  'é',
  '👍',
  '👩‍🚀',
  '🇨🇭',
  'שלום',
  'ก็',
]
export const moves =
  split(`up down left right home end pageup pagedown ctrl+left ctrl+right ctrl+home ctrl+end shift+left
  shift+right shift+up shift+down shift+end shift+home ctrl+shift+left`)
export const edits =
  split(`enter backspace delete tab shift+tab ctrl+backspace ctrl+delete alt+up alt+down ctrl+b ctrl+k ctrl+x
  ctrl+c ctrl+v ctrl+a ctrl+space enter`)
export const commands =
  split(`ctrl+s ctrl+f ctrl+o ctrl+g f1 f6 f7 f8 f9 ctrl+p ctrl+e ctrl+r n d o c P u h / ? r x m t [ ] 1 2 3
  e delete space tab enter enter enter`)
/** Of lists and forms. */
export const visits =
  split(`up down up down pageup home end enter enter enter tab tab space n e p s t v y u x r m [ ] 1 2 3
  ctrl+s ctrl+d f1 f2 f6 right left delete`)
export const pastes = [
  'two\nlines',
  '<Note>\n\nA note\n\n</Note>\n',
  '| a | b |\n| - | - |\n| 漢 | 👍 |\n',
  '\u001B[31mred',
  '```js\nlet a\n```',
  'https://example.com/hook',
  'bob@example.com',
]

/** Where the palette leads to from the branches of a project, in its words. */
export const placesOfBranches = [
  'Changelog',
  'Webhooks and their deliveries',
  'Usage of the plan',
  'API keys',
  'Members and invitations',
  'Account, invitations, sessions and settings',
  'Deploys and rollback',
  'What the branch changed',
  'Update the branch: take in what main has since',
  'History of the branch',
  'Publish the branch',
  'Create a branch',
]
/** And from the files of a branch. */
export const placesOfFiles = [
  'What the branch changed',
  'Publish the branch',
  'Let the assistant work on this branch',
  'Let the assistant work on this branch',
  'History of the file',
  'Search in the files',
  'New page',
  'Upload an image or another file',
]
