import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import './dashboard.css'

const element = document.querySelector('#dashboard')
if (element === null) throw new Error('#dashboard is missing in index.html')
createRoot(element).render(<App />)
