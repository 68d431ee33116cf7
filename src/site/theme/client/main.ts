import { startContents } from './contents.ts'
import { startCopy } from './copy.ts'
import { startMenus } from './menus.ts'
import { startReveal } from './reveal.ts'
import { startTabs } from './tabs.ts'
import { startTheme } from './theme.ts'

startTheme()
startMenus()
startCopy()
startTabs()
// After the tabs: an address may point into one.
startReveal()
startContents()
