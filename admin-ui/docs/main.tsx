import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Signs } from '../shared/logo.tsx'
import type { ApiDocument } from './document.ts'
import { ApiDocs, type Brand } from './page.tsx'

/** Loads the operator's name and logo. Returns undefined after a failure, because the documentation can be read without them. */
const readBrand = async (): Promise<Brand | undefined> => {
  const response = await window.fetch('/hosted/settings').catch(() => undefined)
  if (response?.ok !== true) return undefined
  const { name, brand }: { readonly name: string; readonly brand: Signs } = await response.json()
  return { name, ...brand }
}

const start = async (root: HTMLElement) => {
  const reading = readBrand()
  const response = await window.fetch('/openapi.json')
  if (!response.ok) throw new Error(`the API document: ${response.status}`)
  const document: ApiDocument = await response.json()
  const brand = await reading
  createRoot(root).render(
    <StrictMode>
      <ApiDocs document={document} brand={brand} />
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
