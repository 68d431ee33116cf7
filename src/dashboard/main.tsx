import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { fetchAhead } from './ahead.ts'
import { queryClient } from './query-client.ts'
import { Pages } from './router.tsx'
import { PageBoundary } from './shell/page-boundary.tsx'
import { applyTheme } from './shell/theme.ts'
import { Toasts } from './ui/toasts.tsx'
import './ui/base.css'

applyTheme()
fetchAhead(location.pathname)

const element = document.querySelector('#dashboard')
if (element === null) throw new Error('#dashboard is missing in index.html')
createRoot(element).render(
  <QueryClientProvider client={queryClient}>
    <BrowserRouter>
      <PageBoundary>
        <Pages />
      </PageBoundary>
    </BrowserRouter>
    <Toasts />
  </QueryClientProvider>,
)
