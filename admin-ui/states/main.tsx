import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { StateList } from './list.tsx'

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <StateList />
    </StrictMode>,
  )
