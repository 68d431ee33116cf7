/** Part of the build: writes the manual page of `quire` to the file that is named. */

import { writeFile } from 'node:fs/promises'
import { describeProgram } from '#cli/reference/command-tree.ts'
import { manualPage } from '#cli/reference/manual.ts'

await writeFile(process.argv[2] ?? 'quire.1', manualPage(await describeProgram()))
