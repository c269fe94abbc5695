import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { ApiDocument } from './document.ts'
import { ApiDocs } from './page.tsx'

const start = async (root: HTMLElement) => {
  const response = await window.fetch('/openapi.json')
  if (!response.ok) throw new Error(`the API document: ${response.status}`)
  const document: ApiDocument = await response.json()
  createRoot(root).render(
    <StrictMode>
      <ApiDocs document={document} />
    </StrictMode>,
  )
}

const root = document.getElementById('root')
if (root !== null) {
  start(root).catch(() => {
    root.className = 'noscript'
    root.textContent = 'This page did not load completely. Please load it again.'
  })
}
