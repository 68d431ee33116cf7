import type { MergeConflict, Resolution } from '#content/repository.ts'
import { text, type Contents, type Edits } from './support.ts'

const latin1 = (change: Readonly<Record<number, string>> = {}) =>
  Buffer.from(text(40, { 20: 'caf\xe9', ...change }), 'latin1')
const crlf = (change: Readonly<Record<number, string>> = {}) => text(20, change).replaceAll('\n', '\r\n')

export interface MergeCase {
  readonly what: string
  readonly base: Contents
  readonly main: Edits
  readonly branch: Edits
  /** What a clean merge makes of the base. */
  readonly merged?: Edits
  readonly conflicts?: readonly Pick<MergeConflict, 'path' | 'type'>[]
}

/** Merges without renames, which every adapter knows. */
export const mergeCases: readonly MergeCase[] = [
  {
    what: 'different files',
    base: { a: 'a\n', b: 'b\n' },
    main: { a: 'A\n' },
    branch: { b: 'B\n', c: 'c\n' },
    merged: { a: 'A\n', b: 'B\n', c: 'c\n' },
  },
  {
    what: 'distant places of one file',
    base: { a: text(20) },
    main: { a: text(20, { 1: 'main' }) },
    branch: { a: text(20, { 18: 'branch' }) },
    merged: { a: text(20, { 1: 'main', 18: 'branch' }) },
  },
  {
    what: 'the same edit made by both, beside one of main’s',
    base: { a: text(20) },
    main: { a: text(20, { 1: 'main', 10: 'both' }) },
    branch: { a: text(20, { 10: 'both' }) },
    merged: { a: text(20, { 1: 'main', 10: 'both' }) },
  },
  {
    what: 'lines removed by one and added by the other',
    base: { a: text(20) },
    main: { a: text(20).replace('line 3\nline 4\n', '') },
    branch: { a: `${text(20)}more\n` },
    merged: { a: `${text(20).replace('line 3\nline 4\n', '')}more\n` },
  },
  {
    what: 'binary content edited on both sides',
    base: { 'logo.png': Buffer.from([0, 255, 1, 200]) },
    main: { 'logo.png': Buffer.from([0, 255, 2, 200]) },
    branch: { 'logo.png': Buffer.from([0, 255, 3, 200]) },
    conflicts: [{ path: 'logo.png', type: 'binary' }],
  },
  {
    what: 'Latin-1 text edited in distant places',
    base: { 'old.md': latin1() },
    main: { 'old.md': latin1({ 2: 'main \xe9' }) },
    branch: { 'old.md': latin1({ 37: 'branch \xe8' }) },
    merged: { 'old.md': latin1({ 2: 'main \xe9', 37: 'branch \xe8' }) },
  },
  {
    what: 'U+2028 and a lone carriage return inside lines',
    base: { a: text(20, { 9: 'x\u2028y', 10: 'x\ry' }) },
    main: { a: text(20, { 1: 'main', 9: 'x\u2028y', 10: 'x\ry' }) },
    branch: { a: text(20, { 9: 'x\u2028y', 10: 'x\ry', 18: 'branch' }) },
    merged: { a: text(20, { 1: 'main', 9: 'x\u2028y', 10: 'x\ry', 18: 'branch' }) },
  },
  {
    what: 'CRLF lines edited in distant places',
    base: { a: crlf() },
    main: { a: crlf({ 1: 'main' }) },
    branch: { a: crlf({ 18: 'branch' }) },
    merged: { a: crlf({ 1: 'main', 18: 'branch' }) },
  },
  {
    what: 'a directory that became a file against a file added in it',
    base: { 'guide/a.mdx': 'a\n', z: 'z\n' },
    main: { 'guide/b.mdx': 'b\n' },
    branch: { 'guide/a.mdx': null, guide: 'a file\n' },
    conflicts: [{ path: 'guide', type: 'directory/file' }],
  },
  {
    what: 'a modification against a deletion',
    base: { a: text(5), b: 'b\n' },
    main: { a: null },
    branch: { a: text(5, { 1: 'branch' }) },
    conflicts: [{ path: 'a', type: 'modify/delete' }],
  },
  {
    what: 'a deletion by both',
    base: { a: text(5), b: 'b\n' },
    main: { a: null },
    branch: { a: null, c: 'c\n' },
    merged: { a: null, c: 'c\n' },
  },
  {
    what: 'one file added by both with different content',
    base: { a: 'a\n' },
    main: { b: 'main\n' },
    branch: { b: 'branch\n' },
    conflicts: [{ path: 'b', type: 'add/add' }],
  },
  {
    what: 'one file added by both with the same content',
    base: { a: 'a\n' },
    main: { b: 'same\n' },
    branch: { b: 'same\n' },
    merged: { b: 'same\n' },
  },
  {
    what: 'the same line edited by both',
    base: { a: text(5) },
    main: { a: text(5, { 2: 'main' }) },
    branch: { a: text(5, { 2: 'branch' }) },
    conflicts: [{ path: 'a', type: 'content' }],
  },
  {
    what: 'lines side by side edited by both',
    base: { a: text(9) },
    main: { a: text(9, { 4: 'main' }) },
    branch: { a: text(9, { 5: 'branch' }) },
    conflicts: [{ path: 'a', type: 'content' }],
  },
  {
    what: 'a file against a directory of its name',
    base: { z: 'z\n' },
    main: { 'guide/a.mdx': 'a\n' },
    branch: { guide: 'a file\n' },
    conflicts: [{ path: 'guide', type: 'directory/file' }],
  },
]

const content = (value: string) => ({ content: Buffer.from(value) })

export interface ResolutionCase {
  readonly what: string
  readonly sides: readonly [base: Contents, main: Edits, branch: Edits]
  readonly resolutions: readonly Resolution[]
  readonly result: Readonly<Record<string, string>>
}

export const resolutionCases: readonly ResolutionCase[] = [
  {
    what: 'with main’s content',
    sides: [{ a: 'a\n', b: 'b\n' }, { a: 'main\n' }, { a: 'branch\n', b: 'B\n' }],
    resolutions: [{ path: 'a', use: 'main' }],
    result: { a: 'main\n', b: 'B\n' },
  },
  {
    what: 'with the branch’s content',
    sides: [{ 'd/a': 'a\n' }, { 'd/a': 'main\n', 'd/c': 'c\n' }, { 'd/a': 'branch\n' }],
    resolutions: [{ path: 'd/a', use: 'branch' }],
    result: { 'd/a': 'branch\n', 'd/c': 'c\n' },
  },
  {
    what: 'with content of its own',
    sides: [{ a: 'a\n' }, { a: 'main\n' }, { a: 'branch\n' }],
    resolutions: [{ path: 'a', ...content('both\n') }],
    result: { a: 'both\n' },
  },
  {
    what: 'by deleting the file',
    sides: [{ 'd/a': 'a\n', z: 'z\n' }, { 'd/a': 'main\n' }, { 'd/a': 'branch\n' }],
    resolutions: [{ path: 'd/a', content: null }],
    result: { z: 'z\n' },
  },
  {
    what: 'by the side that deleted the file',
    sides: [{ a: text(5), z: 'z\n' }, { a: null }, { a: text(5, { 1: 'branch' }) }],
    resolutions: [{ path: 'a', use: 'main' }],
    result: { z: 'z\n' },
  },
  {
    what: 'by the side that kept the file',
    sides: [{ a: 'a\n', z: 'z\n' }, { a: null }, { a: 'branch\n' }],
    resolutions: [{ path: 'a', use: 'branch' }],
    result: { a: 'branch\n', z: 'z\n' },
  },
  {
    what: 'with the file in the place of a directory',
    sides: [{ z: 'z\n' }, { 'guide/a': 'a\n', 'guide/b': 'b\n' }, { guide: 'file\n' }],
    resolutions: [{ path: 'guide', use: 'branch' }],
    result: { guide: 'file\n', z: 'z\n' },
  },
  {
    what: 'with the directory in the place of a file',
    sides: [{ z: 'z\n' }, { 'guide/a': 'a\n', 'guide/b': 'b\n' }, { guide: 'file\n' }],
    resolutions: [{ path: 'guide', use: 'main' }],
    result: { 'guide/a': 'a\n', 'guide/b': 'b\n', z: 'z\n' },
  },
  {
    what: 'with several conflicts at once',
    sides: [
      { a: '1\n', b: '1\n' },
      { a: '2\n', b: '2\n', c: '2\n' },
      { a: '3\n', b: '3\n', c: '3\n' },
    ],
    resolutions: [
      { path: 'a', use: 'main' },
      { path: 'b', use: 'branch' },
      { path: 'c', ...content('23\n') },
    ],
    result: { a: '2\n', b: '3\n', c: '23\n' },
  },
]
