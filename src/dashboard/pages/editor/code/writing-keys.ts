import { insertBracket } from '@codemirror/autocomplete'
import { EditorSelection, type ChangeSpec, type StateCommand } from '@codemirror/state'
import { EditorView, type KeyBinding } from '@codemirror/view'

/** Puts marks around what is selected, or takes them away. */
function wrapIn(mark: string): StateCommand {
  return ({ state, dispatch }) => {
    const changes = state.changeByRange(({ from, to }) => {
      const size = mark.length
      const isAround = state.sliceDoc(from - size, from) === mark && state.sliceDoc(to, to + size) === mark
      if (isAround) {
        return {
          changes: [
            { from: from - size, to: from },
            { from: to, to: to + size },
          ],
          range: EditorSelection.range(from - size, to - size),
        }
      }
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
        range: EditorSelection.range(from + size, to + size),
      }
    })
    dispatch(state.update(changes, { userEvent: 'input', scrollIntoView: true }))
    return true
  }
}

/** What is selected becomes the words of a link, whose address comes next; a selected address becomes the address. */
const link: StateCommand = ({ state, dispatch }) => {
  const changes = state.changeByRange(({ from, to }) => {
    const text = state.sliceDoc(from, to)
    const isAddress = /^(?:https?:\/\/|\/)\S+$/.test(text)
    const insert = isAddress ? `[](${text})` : `[${text}]()`
    const anchor = isAddress || text === '' ? from + 1 : from + insert.length - 1
    return { changes: { from, to, insert }, range: EditorSelection.cursor(anchor) }
  })
  dispatch(state.update(changes, { userEvent: 'input', scrollIntoView: true }))
  return true
}

const item = /^(\s*(?:>\s?)*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?/

/** A list, or a quote, goes on on the next line; an empty item ends it. */
const continueList: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection
  if (!main.empty || state.selection.ranges.length > 1) return false
  const line = state.doc.lineAt(main.head)
  const found = item.exec(line.text)
  if (found === null || main.head < line.from + found[0].length) return false
  let change: ChangeSpec
  let anchor: number
  if (line.text.length === found[0].length) {
    change = { from: line.from, to: line.to }
    anchor = line.from
  } else {
    const [, lead = '', bullet, number, end = '', space = ' ', task] = found
    const next = bullet ?? `${Number(number) + 1}${end}`
    const insert = `\n${lead}${next}${space}${task === undefined ? '' : '[ ] '}`
    change = { from: main.head, insert }
    anchor = main.head + insert.length
  }
  dispatch(state.update({ changes: change, selection: { anchor }, userEvent: 'input', scrollIntoView: true }))
  return true
}

export const writingKeys: readonly KeyBinding[] = [
  { key: 'Mod-b', run: wrapIn('**'), preventDefault: true },
  { key: 'Mod-i', run: wrapIn('_'), preventDefault: true },
  { key: 'Mod-e', run: wrapIn('`'), preventDefault: true },
  { key: 'Mod-k', run: link, preventDefault: true, stopPropagation: true },
  { key: 'Enter', run: continueList },
]

/**
 * What is typed in the place of several lines. Left to the browser it joins lines with styles of its own, of which the
 * page's policy complains.
 */
export const typeOverLines = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { main, ranges } = view.state.selection
    const { data, inputType } = event
    if (inputType !== 'insertText' || data === null || view.composing) return false
    const isLong = view.state.doc.lineAt(main.from).to < main.to
    if (view.state.readOnly || !isLong || ranges.length > 1) return false
    event.preventDefault()
    const around = insertBracket(view.state, data)
    if (around !== null) view.dispatch(around)
    else view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    return true
  },
})
