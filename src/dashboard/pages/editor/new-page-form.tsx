import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { navigationPlaces, type NavigationPlace, type NavigationPlaces } from '#authoring/navigation.ts'
import { newPagePath, newPageText, typedPath } from '#authoring/page-paths.ts'
import { Failure } from '#contract/failure.ts'
import type { ProjectFile } from '#contract/files.ts'
import { commitFiles, configQuery, readFile, saveFile, type ConfigText, type BranchRef } from '../../queries/files.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { isThere, refuseTrouble } from './file-work.ts'
import { isOnlyDraft } from './unsaved.ts'

export interface NewPageFormProps {
  readonly branchRef: BranchRef
  readonly files: readonly ProjectFile[]
  /** Where it is suggested; empty, or with a slash at its end. */
  readonly folder: string
  readonly onMade: (path: string) => void
}

/** Value of the choice that leaves docs.json as it is. */
const nowhere = ''

/** A title, where the file is, and where readers find it: one commit. */
export function NewPageForm({ branchRef, files, folder, onMade }: NewPageFormProps) {
  const [title, setTitle] = useState('')
  const [typed, setTyped] = useState<string>()
  const [chosen, setChosen] = useState<string>()
  const config = useQuery(configQuery(branchRef))
  const suggested = newPagePath(title, folder, (path) => isThere(files, path))
  const path = typedPath(typed ?? suggested, 'page.mdx')
  const { has, places } = useMemo(() => placesIn(config.data ?? [], path), [config.data, path])
  const spot =
    chosen === nowhere || has !== undefined ? undefined : (places.find((one) => keyOf(one) === chosen) ?? places[0])
  return (
    <Form
      onSubmit={async () => {
        // A text that is here alone, and not saved, meets the page as it meets what somebody else saves.
        refuseTrouble(
          files.filter((file) => !isOnlyDraft(file)),
          path,
        )
        await addPage(branchRef, path, newPageText(title.trim() === '' ? 'New page' : title.trim()), spot)
        // Leads elsewhere, and so closes the dialog.
        onMade(path)
      }}
    >
      {(busy) => (
        <>
          <TextField
            name="title"
            label="Title"
            autoComplete="off"
            autoFocus
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
          <TextField
            name="path"
            label="File"
            autoComplete="off"
            spellCheck={false}
            value={typed ?? suggested}
            hint="Folders are part of the page’s address: guides/start.mdx is at /guides/start."
            onChange={(event) => setTyped(event.target.value)}
          />
          {places.length === 0 || has !== undefined ? null : (
            <SelectField
              name="navigation"
              label="Navigation"
              hint="Where readers find it. A page that is not in the navigation has its address all the same."
              value={spot === undefined ? nowhere : keyOf(spot)}
              onChange={(event) => setChosen(event.target.value)}
            >
              {places.map((one) => (
                <option key={keyOf(one)} value={keyOf(one)}>
                  {wordsOf(one)}
                </option>
              ))}
              <option value={nowhere}>Not in the navigation</option>
            </SelectField>
          )}
          <FormActions>
            <Button type="submit" look="primary" busy={busy}>
              Create page
            </Button>
          </FormActions>
        </>
      )}
    </Form>
  )
}

/** Those of all files of the configuration, the likeliest first. */
function placesIn(config: readonly ConfigText[], path: string): NavigationPlaces {
  const all = config.flatMap(({ path: file, text }) => {
    try {
      return [navigationPlaces(text, path, file)]
    } catch {
      // What is wrong with it is told where it is written.
      return []
    }
  })
  return {
    has: all.find(({ has }) => has !== undefined)?.has,
    places: all.flatMap(({ places }) => places).sort((one, other) => other.siblings - one.siblings),
  }
}

function keyOf({ file, label, after = '' }: NavigationPlace): string {
  return [file, label, after].join('\n')
}

function wordsOf({ label, after }: NavigationPlace): string {
  const where = label.charAt(0).toUpperCase() + label.slice(1)
  return after === undefined ? `${where}, as its first page` : `${where}, after ${after}`
}

async function addPage(
  branchRef: BranchRef,
  path: string,
  text: string,
  spot: NavigationPlace | undefined,
): Promise<void> {
  const message = `Add ${path}`
  if (spot === undefined) {
    await saveFile(branchRef, path, { content: text, message }, null)
    return
  }
  const { file } = spot
  const { content, oid } = await readFile(branchRef, file)
  // Somebody may have saved it meanwhile: theirs stays.
  const now = navigationPlaces(content, path, file).places.find((one) => keyOf(one) === keyOf(spot))
  if (now === undefined) {
    throw new Failure('stale_file', `${file} was changed meanwhile, and has no such place any more.`, {
      hint: 'Choose another one.',
    })
  }
  await commitFiles(branchRef, message, [
    { path, content: text, expectedOid: null },
    { path: file, content: now.insert(), expectedOid: oid },
  ])
}
