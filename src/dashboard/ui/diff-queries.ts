import type { UseQueryOptions } from '@tanstack/react-query'
import type { CommitComparison } from '../../contract/comparisons.ts'
import type { FileContent } from '../../contract/files.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- keys of queries differ from page to page
type Options<T> = UseQueryOptions<T, Error, T, any>
/** The same comparison of one file alone. */
export type FileQuery = (path: string) => Options<CommitComparison>
/** A file as of a commit. */
export type ContentQuery = (path: string, commit: string) => Options<FileContent>
