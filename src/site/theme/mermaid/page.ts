import { drawDiagrams } from './diagrams.ts'

drawDiagrams()
