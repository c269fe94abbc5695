/** The question for a recent proof, with the styles that only it needs here. */
import '../../shared/styles/code-field.css'

export { ProofInPlace } from '../../shared/proof/in-place.tsx'
