import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { FileDiff } from '../../contract/comparisons.ts'
import type { FileContent } from '../../contract/files.ts'
import type { ContentQuery } from './diff-queries.ts'
import { Loaded } from './loaded.tsx'
import css from './diff.module.css'

const types: Readonly<Partial<Record<string, string>>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
}

/** The media type of an image, by its name; undefined: it is none. */
export function imageType(path: string): string | undefined {
  return types[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]
}

interface ImageDiffProps {
  readonly file: FileDiff
  /** Commits of both sides. */
  readonly base: string | undefined
  readonly head: string
  readonly contentQuery: ContentQuery
}

/** An image as it was and as it is. */
export function ImageDiff({ file, base, head, contentQuery }: ImageDiffProps) {
  const { path, oldPath = path, oldOid, oid } = file
  return (
    <div className={css['images']}>
      {oldOid === undefined || base === undefined ? null : (
        <Side title="Before" path={oldPath} commit={base} contentQuery={contentQuery} />
      )}
      {oid === undefined ? null : <Side title="Now" path={path} commit={head} contentQuery={contentQuery} />}
    </div>
  )
}

interface SideProps {
  readonly title: string
  readonly path: string
  readonly commit: string
  readonly contentQuery: ContentQuery
}

function Side({ title, path, commit, contentQuery }: SideProps) {
  return <ImageSide title={title} path={path} query={useQuery(contentQuery(path, commit))} />
}

interface ImageSideProps {
  readonly title: string
  readonly path: string
  readonly query: UseQueryResult<FileContent>
}

/** An image as one side has it. Images run no scripts, those in SVG among it. */
export function ImageSide({ title, path, query }: ImageSideProps) {
  return (
    <figure className={css['image']}>
      <figcaption>{title}</figcaption>
      <Loaded query={query}>
        {({ content, encoding, size }) => (
          <>
            <img src={sourceOf(content, encoding, imageType(path) ?? '')} alt={`${path}, ${title.toLowerCase()}`} />
            <small className="soft">{sizeWords(size)}</small>
          </>
        )}
      </Loaded>
    </figure>
  )
}

function sourceOf(content: string, encoding: string, type: string): string {
  return encoding === 'base64' ? `data:${type};base64,${content}` : `data:${type},${encodeURIComponent(content)}`
}

function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const kilobytes = bytes / 1024
  return kilobytes < 1024 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`
}
