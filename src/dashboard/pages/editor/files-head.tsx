import { FilePlus, PanelLeft, Sparkles, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import type { Branch } from '#contract/branches.ts'
import type { Project } from '#contract/projects.ts'
import { paths } from '../../paths.ts'
import type { BranchRef } from '../../queries/files.ts'
import { IconButton } from '../../ui/button.tsx'
import { toast } from '../../ui/toasts.tsx'
import { isUploadedImage, uploadFile } from './file-work.ts'
import css from './editor.module.css'

interface FilesHeadProps {
  readonly project: Project
  readonly branch: Branch
  readonly branchRef: BranchRef
  readonly folder: string
  readonly isTaken: (path: string) => boolean
  readonly readOnly: boolean
  readonly onHide: () => void
  readonly onNew: () => void
  readonly onAssistant: () => void
}

interface Uploading {
  readonly name: string
  /** Counted from 1. */
  readonly number: number
  readonly all: number
}

/** Which branch it is, and what can be added to it. */
export function FilesHead({
  project,
  branch,
  branchRef,
  folder,
  isTaken,
  readOnly,
  onHide,
  onNew,
  onAssistant,
}: FilesHeadProps) {
  const chooser = useRef<HTMLInputElement>(null)
  const [uploading, setUploading] = useState<Uploading>()
  const upload = async (chosen: readonly File[]): Promise<void> => {
    for (const [index, file] of chosen.entries()) {
      setUploading({ name: file.name, number: index + 1, all: chosen.length })
      try {
        const added = await uploadFile(branchRef, file, { folder: isUploadedImage(file) ? 'images/' : folder, isTaken })
        toast.done(`${added.path} is on the branch.`, added.undo)
      } catch (error) {
        // The others go on.
        toast.failed(error)
      }
    }
    setUploading(undefined)
  }
  return (
    <>
      <div className={css['filesHead']}>
        <Link to={paths.branch(project.slug, branch.id)} className={css['branch']} title="The branch">
          {branch.name}
        </Link>
        {readOnly ? null : (
          <>
            <IconButton icon={Sparkles} label="Assistant" size="small" onClick={onAssistant} />
            <IconButton icon={FilePlus} label="New page" size="small" onClick={onNew} />
            <IconButton
              icon={Upload}
              label="Upload files"
              size="small"
              disabled={uploading !== undefined}
              onClick={() => chooser.current?.click()}
            />
            <input
              ref={chooser}
              type="file"
              multiple
              hidden
              aria-label="Files to upload"
              onChange={(event) => {
                const chosen = Array.from(event.target.files ?? [])
                event.target.value = ''
                void upload(chosen)
              }}
            />
          </>
        )}
        <IconButton icon={PanelLeft} label="Hide files" size="small" className={css['hideTree']} onClick={onHide} />
      </div>
      {uploading === undefined ? null : (
        <div className={css['uploading']} role="status">
          <span>
            Uploading {uploading.name}…{uploading.all === 1 ? '' : ` ${uploading.number} of ${uploading.all}`}
          </span>
          <progress
            aria-label="Files uploaded"
            {...(uploading.all > 1 && { value: uploading.number - 1, max: uploading.all })}
          />
        </div>
      )}
    </>
  )
}
