import { useQuery } from '@tanstack/react-query'
import { SquarePen } from 'lucide-react'
import type { AssistantTurn } from '#contract/assistant.ts'
import { branchDiffQuery, branchFileAtQuery } from '../../queries/branches.ts'
import type { BranchRef } from '../../queries/files.ts'
import { IconButton } from '../../ui/button.tsx'
import { DiffFile } from '../../ui/diff-file.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import css from './assistant.module.css'

interface TurnChangesProps {
  readonly branchRef: BranchRef
  readonly turn: AssistantTurn & { readonly commit: string }
  readonly onOpen: (path: string) => void
}

/** What a turn changed, file by file. */
export function TurnChanges({ branchRef, turn, onOpen }: TurnChangesProps) {
  const { slug, id } = branchRef
  const { commit } = turn
  const diff = useQuery({ ...branchDiffQuery(slug, id, { commit }), staleTime: Infinity })
  return (
    <Loaded query={diff} pending={<Skeleton lines={2} />}>
      {(comparison) => (
        <div className={css['changes']}>
          {comparison.files.map((file) => (
            <DiffFile
              key={file.path}
              file={file}
              comparison={comparison}
              layout="unified"
              fileQuery={(path) => branchDiffQuery(slug, id, { commit, path })}
              contentQuery={(path, at) => branchFileAtQuery(slug, id, path, at)}
              actions={({ path, status }) =>
                status === 'deleted' ? null : (
                  <IconButton icon={SquarePen} label={`Open ${path}`} size="small" onClick={() => onOpen(path)} />
                )
              }
              isAsked={false}
            />
          ))}
        </div>
      )}
    </Loaded>
  )
}
