/** Files of the storm. Their texts say who wrote them and which save it was. */

export const boardPath = (number: number): string => `boards/board-${number}.md`
export const isBoard = (path: string): boolean => path.startsWith('boards/')
export const ownPath = (name: string): string => `writers/${name}.md`
export const scratchPath = (name: string): string => `scratch/${name}.md`

export function ownText(name: string, save: number): string {
  return `# ${name}\n\nSave ${save} of ${name}.\n\n${'Some text around it. '.repeat(save % 40)}\n`
}

/** Which save a text is; -1 for none. */
export function saveOf(text: string): number {
  return Number(/^Save (\d+) of /m.exec(text)?.[1] ?? -1)
}

const boardHead = '# Board\n\n'

/** Lines of a board. */
export function linesOf(board: string): string[] {
  return board.split('\n').filter((line) => line.startsWith('- '))
}

export function boardOf(lines: readonly string[]): string {
  return boardHead + lines.map((line) => `${line}\n`).join('')
}

/** Both sides of a conflict: main’s lines, then what only the branch has. */
export function bothBoards(main: string, branch: string): string {
  return boardOf([...new Set([...linesOf(main), ...linesOf(branch)])])
}
