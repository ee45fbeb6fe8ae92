import '../styles/dev-page.css'
import { createRoot } from 'react-dom/client'
import { DevApp } from './dev-app.tsx'

const root = document.getElementById('root')
if (root !== null) createRoot(root).render(<DevApp />)
